import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { BoughError } from '../../tree/error.ts'

/** So much of the end of its output is kept for a notice. */
const longest = 2_000

/** How long a process that left the group may hold the output open after the command has ended. */
const drainMilliseconds = 500

export interface SetUpOptions {
  readonly signal: AbortSignal
  readonly env?: Readonly<Record<string, string>>
  onOutput(text: string): void
}

export interface SetUpEnd {
  readonly exitCode: number
  /** The end of what it printed. */
  readonly tail: string
}

/**
 * Runs the person's own set-up command in a new worktree. Its output is passed on as it comes, both streams in the order
 * they were written in. It has a process group of its own: what is left of that ends with the command, and all of it
 * when the signal aborts; then this throws the signal's reason.
 */
export async function runSetUp(
  command: string,
  directory: string,
  { signal, env, onOutput }: SetUpOptions,
): Promise<SetUpEnd> {
  signal.throwIfAborted()
  const child = spawn('sh', ['-c', 'exec sh -c -- "$0" 2>&1', command], {
    cwd: directory,
    detached: true,
    env: { ...withoutGit(process.env), ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const { promise: exited, resolve, reject } = Promise.withResolvers<number>()
  child.once('error', (cause) => {
    const words = `The set-up command cannot be started in ${directory}: ${cause.message}.`
    reject(new BoughError('worktree_failed', words, { cause }))
  })
  // One that could not be started may have no streams.
  if (child.pid === undefined) return { exitCode: await exited, tail: '' }
  let tail = ''
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (text: string) => {
    tail = endOf(tail + text)
    onOutput(text)
  })
  const closed = new Promise<void>((resolve) => child.stdout.once('close', resolve))
  child.once('exit', (code, killer) => {
    killGroup(child.pid)
    resolve(killer === null ? (code ?? 1) : 128 + constants.signals[killer])
  })
  // Once it has exited its group was killed, and the number may come to name another.
  const abort = () => {
    if (child.exitCode === null && child.signalCode === null) killGroup(child.pid)
  }
  signal.addEventListener('abort', abort)
  try {
    const exitCode = await exited
    await drained(closed, child.stdout)
    signal.throwIfAborted()
    return { exitCode, tail }
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

// Whole lines, where there are any.
function endOf(text: string): string {
  if (text.length <= longest) return text
  const end = text.slice(-longest)
  const line = end.indexOf('\n')
  return line === -1 || line === end.length - 1 ? end : end.slice(line + 1)
}

// The caller's own GIT_* variables would point the command's git elsewhere.
const withoutGit = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^GIT_(DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX|OBJECT_DIRECTORY)$/.test(name),
    ),
  )

// What is left of the group may be nothing at all, or not ours to end.
function killGroup(group: number | undefined): void {
  if (group === undefined) return
  try {
    process.kill(-group, 'SIGKILL')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}

async function drained(closed: Promise<void>, output: Readable): Promise<void> {
  const timeout = new AbortController()
  await Promise.race([
    closed,
    pause(drainMilliseconds, undefined, { signal: timeout.signal }).catch(() => {}),
  ])
  timeout.abort()
  output.destroy()
}
