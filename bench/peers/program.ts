import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Work } from './peer.ts'

export interface Command {
  readonly command: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}

/** From its start to its end. */
export const toItsEnd =
  ({ command, args, env, cwd }: Command): Work =>
  async () => {
    const { status, error } = spawnSync(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'inherit'] })
    if (status !== 0) throw error ?? new Error(`${command} ${args.join(' ')} ended with ${status}.`)
  }

/** From its start until it has answered one request: a line of JSON to its stdin, and one back in which `sign` stands. */
export const toItsFirstAnswer =
  ({ command, args, env, cwd }: Command, request: object, sign: string): Work =>
  async (aside) => {
    const child = spawn(command, args, { env, cwd, stdio: ['pipe', 'pipe', 'ignore'] })
    try {
      child.stdin.on('error', () => {}).write(`${JSON.stringify(request)}\n`)
      await lineWith(child, sign)
    } finally {
      await aside(() => end(child))
    }
  }

async function lineWith(child: ChildProcess, sign: string): Promise<void> {
  const lines = child.stdout ? createInterface({ input: child.stdout }) : []
  for await (const line of lines) if (line.includes(sign)) return
  throw new Error(`${child.spawnfile} ended without an answer.`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
