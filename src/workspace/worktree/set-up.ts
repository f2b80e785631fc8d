import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { drained, endGroup, exitCodeOf } from '../../process-group.ts'
import { BoughError, messageOf } from '../../tree/error.ts'

/** So much of the end of its output is kept for a notice. */
const longest = 2_000

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
  // One that could not be started may have no streams.
  if (child.pid === undefined) throw notStarted(directory, (await once(child, 'error'))[0])
  let tail = ''
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (text: string) => {
    tail = endOf(tail + text)
    onOutput(text)
  })
  const exited = exitCodeOf(child)
  const abort = () => endGroup(child)
  signal.addEventListener('abort', abort)
  try {
    const exitCode = await exited
    await drained(child.stdout)
    signal.throwIfAborted()
    return { exitCode, tail }
  } finally {
    signal.removeEventListener('abort', abort)
    child.stdout.destroy()
  }
}

const notStarted = (directory: string, cause: unknown): BoughError =>
  new BoughError(
    'worktree_failed',
    `The set-up command cannot be started in ${directory}: ${messageOf(cause)}.`,
    { cause },
  )

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
