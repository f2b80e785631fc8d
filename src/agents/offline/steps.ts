import { resolve } from 'node:path'
import type { Json } from '../../tree/message.ts'
import { deniedOutput } from '../../tree/stand-in-output.ts'
import type { OpenOptions, PermissionAnswer, PermissionRequest, Tool } from '../driver.ts'
import { callTool } from '../tool-call.ts'
import { describeFailure } from './failure.ts'
import { useFile } from './file-tools.ts'
import type { FileStep, Step, ToolStep } from './instructions.ts'
import { untilAborted } from './interruptible.ts'
import { nameOf } from './reply.ts'
import { runCommand } from './shell.ts'

/** The result of a step, and what an account says when it went wrong. */
export interface Outcome {
  readonly output: string
  readonly exitCode: number
  readonly failure: string | null
}

export type Means = Pick<OpenOptions, 'cwd' | 'tools' | 'askPermission' | 'recordProcess' | 'sandbox'>

/** A step as the tool call that announces it. */
export function callOf(step: Step): { readonly name: string; readonly args: Json } {
  switch (step.kind) {
    case 'write':
    case 'append':
      return { name: step.kind, args: { file: step.file, text: step.text } }
    case 'read':
    case 'delete':
      return { name: step.kind, args: { file: step.file } }
    case 'run':
      return { name: 'run', args: { command: step.command } }
    case 'tool':
      return { name: step.name, args: step.args }
  }
}

/** Asks where it has to, then does it. Throws the signal's reason when it aborts, and what bough itself fails with. */
export async function takeStep(
  step: Step,
  callID: string,
  means: Means,
  signal: AbortSignal,
): Promise<Outcome> {
  signal.throwIfAborted()
  const work = workOf(step, means)
  if (work === null) return failed(nameOf(step), `there is no such tool; ${listOf(means.tools)}`)

  const request = requestFor(step, means)
  const ask = (about: PermissionRequest) => means.askPermission({ ...about, callID }, signal)
  const answer = request ? await untilAborted(ask(request), signal) : allowed
  if (!answer.allow) {
    return { output: deniedOutput(answer.reason), exitCode: 1, failure: `denied: ${answer.reason}` }
  }
  const outcome = await work(signal, answer.path)
  signal.throwIfAborted()
  return outcome
}

const allowed: PermissionAnswer = { allow: true }

// bough's own tools ask themselves, where they have to.
function requestFor(step: Step, { cwd }: Means): PermissionRequest | null {
  switch (step.kind) {
    case 'run':
      return { tool: 'run', action: 'run', detail: step.command }
    case 'tool':
      return null
    default: {
      const path = resolve(cwd, step.file)
      const action = step.kind === 'read' ? 'read' : 'write'
      return {
        tool: step.kind,
        action,
        detail: path,
        path,
        ...(step.kind === 'delete' && { linkItself: true }),
      }
    }
  }
}

/** `path` is the real file that was approved. */
type Work = (signal: AbortSignal, path?: string) => Promise<Outcome>

/** What there is to do once it is allowed; null for a tool that does not exist: nobody is asked about that. */
function workOf(step: Step, means: Means): Work | null {
  switch (step.kind) {
    case 'run':
      return (signal) => runAsStep(step.command, means, signal)
    case 'tool': {
      const tool = means.tools.find(({ name }) => name === step.name)
      return tool === undefined ? null : (signal) => callAsStep(tool, step, signal)
    }
    default:
      return (signal, path = resolve(means.cwd, step.file)) => useFileAsStep(step, path, signal)
  }
}

async function runAsStep(command: string, means: Means, signal: AbortSignal): Promise<Outcome> {
  const { cwd, sandbox = null } = means
  const recordProcess = (pid: number) => means.recordProcess(pid)
  const { output, exitCode } = await runCommand({ command, cwd, sandbox, recordProcess }, signal)
  return { output, exitCode, failure: exitCode === 0 ? null : `failed with exit code ${exitCode}` }
}

async function useFileAsStep(step: FileStep, path: string, signal: AbortSignal): Promise<Outcome> {
  try {
    return { output: await useFile(step, path, signal), exitCode: 0, failure: null }
  } catch (error) {
    return failed(nameOf(step), describeFailure(error))
  }
}

async function callAsStep(tool: Tool, step: ToolStep, signal: AbortSignal): Promise<Outcome> {
  const { output, exitCode } = await untilAborted(callTool(tool, step.args), signal)
  return { output, exitCode, failure: exitCode === 0 ? null : `failed: ${output}` }
}

const failed = (what: string, why: string): Outcome => ({
  output: `${what} failed: ${why}`,
  exitCode: 1,
  failure: `failed: ${why}`,
})

const listOf = (tools: readonly Tool[]): string =>
  tools.length === 0 ? 'there are none here' : `there are ${tools.map(({ name }) => name).join(', ')}`
