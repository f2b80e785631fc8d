import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { drained, endGroup, exitCodeOf } from '../../process-group.ts'
import { endProcess, startOf } from '../../process-identity.ts'
import type { Program } from '../agent-process.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { BoundedText } from './bounded-text.ts'
import { describeFailure } from './failure.ts'
import { untilAborted } from './interruptible.ts'

// A command goes: started behind the gate → recorded → let through → exited → its group killed → drained.
// If bough dies before it lets the command through, the gate reads end-of-file and the command never runs.

// Both streams share one pipe, which keeps them in the order they were written in. The gate stays as the parent of the command:
// a command that clears its environment is recognised by that of its parent.
const marked = '"$@" 2>&1; exit $?'
const gate = `read -r go && export BOUGH_AGENT=$$ && exec sh -c '${marked}' "BOUGH_AGENT=$$" "$0" "$@" </dev/null 2>/dev/null`

/** As shells say that a command could not be executed. */
const cannotStart = 126

export interface Command {
  readonly command: string
  readonly cwd: string
  /** Null for a command that runs as the person's own do. */
  readonly sandbox: Sandbox | null
  recordProcess(pid: number): Promise<void>
}

export interface CommandResult {
  readonly output: string
  readonly exitCode: number
}

interface Shell {
  readonly pid: number
  readonly child: ChildProcessByStdio<Writable, Readable, null>
}

/** Throws what `recordProcess` throws, and when the signal aborts; nothing of the command is left then. */
export async function runCommand(options: Command, signal: AbortSignal): Promise<CommandResult> {
  let shell: Shell
  try {
    shell = await startBehindGate(options)
  } catch (error) {
    return { output: `The shell could not be started: ${describeFailure(error)}.`, exitCode: cannotStart }
  }
  const output = collectOutput(shell)
  const started = startOf(shell.pid) ?? ''
  const exited = exitCodeOf(shell.child)
  const kill = () => endGroup(shell.child)
  signal.addEventListener('abort', kill)
  try {
    await untilAborted(options.recordProcess(shell.pid), signal)
    shell.child.stdin.end('go\n')
    const exitCode = await exited
    await untilAborted(drained(shell.child.stdout), signal)
    return { output: output.toString(), exitCode }
  } catch (error) {
    kill()
    await exited
    // Also what has left its group.
    await endProcess({ pid: shell.pid, started })
    throw error
  } finally {
    signal.removeEventListener('abort', kill)
    shell.child.stdout.destroy()
  }
}

async function startBehindGate({ command, cwd, sandbox }: Command): Promise<Shell> {
  const shell: Program = { command: 'sh', args: ['-c', '--', command], cwd, env: process.env }
  const program = sandbox ? (await sandbox.prepare())(shell) : shell
  const child = spawn('sh', ['-c', gate, program.command, ...program.args], {
    cwd,
    env: program.env,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const { pid } = child
  if (pid === undefined) return new Promise((_, reject) => child.once('error', reject))
  // A shell that was killed at the gate takes no more input; its exit tells so.
  child.stdin.on('error', () => {})
  return { pid, child }
}

function collectOutput({ child }: Shell): BoundedText {
  const output = new BoundedText()
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (text: string) => output.add(text))
  return output
}
