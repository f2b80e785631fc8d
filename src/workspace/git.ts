import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { Readable } from 'node:stream'
import { BoughError } from '../tree/error.ts'

/** A git repository as seen by one call: its environment says which, its arguments make it harmless. */
export interface GitPlace {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Kills what runs there. */
  readonly signal?: AbortSignal
}

export interface GitCall {
  readonly input?: string
  /** Milliseconds after which git is killed. */
  readonly timeout?: number
}

/** For all that may copy or read many files: no git waits longer, whatever was put in its way. */
const longest = 10 * 60_000

/** For questions that git answers at once, unless something keeps it waiting. */
export const brief: GitCall = { timeout: 5_000 }

/** For looking through the files of a project. */
export const lookingThrough: GitCall = { timeout: 20_000 }

/**
 * Nothing that a repository's config names is run: an agent may have written it. No hooks, no file system monitor, no
 * fetching of missing objects, no external diff; filters are switched off where files are read (see `Shadow`).
 */
const harmless = [
  ...['-c', 'core.fsmonitor=false'],
  ...['-c', 'core.hooksPath=/dev/null'],
  ...['-c', 'core.untrackedCache=false'],
  ...['-c', 'core.pager=cat'],
  ...['-c', 'gc.auto=0'],
  ...['-c', 'maintenance.auto=false'],
]

/** Paths are bytes: latin1 gives back exactly those that came in. */
const bytes = 'latin1'

/** Runs git; resolves with what it printed, bytes as latin1, and rejects with its own words when it fails. */
export async function git(place: GitPlace, args: readonly string[], call: GitCall = {}): Promise<string> {
  const { code, stdout, stderr } = await tryGit(place, args, call)
  if (code === 0) return stdout
  throw new GitError(args, stderr)
}

/** Runs git where failing is an answer. */
export function tryGit(place: GitPlace, args: readonly string[], call: GitCall = {}): Promise<GitEnd> {
  const running = start('git', [...harmless, ...args], place, call)
  running.give(call.input ?? '')
  return running.end
}

/**
 * Several git commands in one shell: starting a process from a large Node is what costs. It starts at once, and goes on
 * when it gets its input.
 */
export function startScript(place: GitPlace, script: string): (input: string) => Promise<GitEnd> {
  const running = start('sh', ['-c', `set -e; ${prelude}${script}`], place, {})
  // Whoever gives it its input hears of it; until then nobody listens.
  running.end.catch(() => {})
  return (input) => {
    running.give(input)
    return running.end
  }
}

const prelude = `git() { command git ${harmless.map((word) => `'${word}'`).join(' ')} "$@"; }; `

/** Two git commands at once. */
export interface GitPair {
  /** What the first printed, when it is done; whether it failed is only known at the end. */
  readonly first: Promise<string>
  /** The code is that of the first that failed; `stdout` is the first one's. */
  readonly end: Promise<GitEnd & { readonly second: string }>
}

/** Runs two git commands at once, in one shell, where failing is an answer. Their arguments are plain words. */
export function tryPair(
  place: GitPlace,
  first: readonly string[],
  second: readonly string[],
  { timeout = longest }: Pick<GitCall, 'timeout'> = {},
): GitPair {
  // Its own standard output is closed when the first is done: that tells.
  const script = `git ${second.join(' ')} >&3 & second=$!; git ${first.join(' ')}; code=$?; exec >&-; wait $second || exit; exit $code`
  const child = spawn('sh', ['-c', prelude + script], {
    cwd: place.cwd,
    env: { ...cleanEnvironment(), ...place.env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const stopWatching = killInTime(child.pid, timeout, place)
  const code = new Promise<number | null>((resolve, reject) => {
    child.on('error', (cause) => reject(notStarted(place.cwd, cause)))
    child.on('close', resolve)
  }).finally(stopWatching)
  // One that could not be started may have no streams.
  const streams = child.pid === undefined ? [] : [child.stdio[1], child.stdio[2], child.stdio[3]]
  const [stdout, stderr, other] = streams.map(textFrom)
  const end = Promise.all([code, stdout ?? '', stderr ?? '', other ?? '']).then(
    ([code, stdout, stderr, second]) => {
      if (code === 127) throw missing(stderr)
      return { code, stdout, second, stderr: toText(stderr) }
    },
  )
  return { first: Promise.resolve(stdout ?? ''), end }
}

async function textFrom(stream: unknown): Promise<string> {
  const chunks: Buffer[] = []
  if (stream instanceof Readable) for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString(bytes)
}

// Git starts others, and a shell starts git: so each has a group of its own.
function killInTime(pid: number | undefined, timeout: number, { signal }: GitPlace): () => void {
  const kill = () => killGroup(pid)
  const timer = setTimeout(kill, timeout)
  if (signal?.aborted) kill()
  signal?.addEventListener('abort', kill, { once: true })
  return () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', kill)
  }
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // Gone by itself meanwhile.
  }
}

// A directory that cannot be entered fails as a program that is not there does.
function notStarted(cwd: string, cause: Error): BoughError {
  if ('code' in cause && noRoom.has(cause.code)) {
    const message =
      'git cannot be started: too much is open or running here. End something, or raise the limits (ulimit -n, -u).'
    return new BoughError('snapshot_failed', message, { cause })
  }
  try {
    accessSync(cwd, constants.X_OK)
    return missing(cause)
  } catch {
    const message = `The directory ${cwd} is gone, or you may not enter it. Make it, or let yourself in with chmod or chown.`
    return new BoughError('directory_gone', message, { cause })
  }
}

/** The system, or its limits for this person, let nothing more be opened or started. */
const noRoom: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'])

const missing = (cause: unknown): BoughError =>
  new BoughError('git_missing', 'git cannot be started. Install it, then try again.', { cause })

export interface GitEnd {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export class GitError extends Error {
  readonly stderr: string

  constructor(args: readonly string[], stderr: string) {
    super(`git ${args.slice(0, 2).join(' ')}: ${stderr.trim() || 'failed'}`)
    this.name = 'GitError'
    this.stderr = stderr
  }
}

/** Records between NULs. */
export const records = (output: string): string[] => output.split('\0').filter((record) => record !== '')

/** A path as git gave it, for people and for Node's own calls where it is valid UTF-8. */
export const toText = (path: string): string => Buffer.from(path, bytes).toString('utf8')

/** A path as git gave it, byte for byte, for Node's calls. */
export const toBytes = (path: string): Buffer => Buffer.from(path, bytes)

/** A path of ours as git gets it. */
export const fromText = (path: string): string => Buffer.from(path, 'utf8').toString(bytes)

function start(
  program: string,
  args: readonly string[],
  place: GitPlace,
  { timeout = longest }: GitCall,
): { readonly end: Promise<GitEnd>; give(input: string): void } {
  const { promise, resolve, reject } = Promise.withResolvers<GitEnd>()
  const child = spawn(program, args, {
    cwd: place.cwd,
    env: { ...cleanEnvironment(), ...place.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const stopWatching = killInTime(child.pid, timeout, place)
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.on('error', (cause) => {
    stopWatching()
    reject(notStarted(place.cwd, cause))
  })
  // One that could not be started may have no streams.
  if (child.pid === undefined) return { end: promise, give: () => {} }
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
  child.on('close', (code) => {
    stopWatching()
    resolve({
      code,
      stdout: Buffer.concat(stdout).toString(bytes),
      stderr: Buffer.concat(stderr).toString('utf8'),
    })
  })
  // One that fails early does not read what it was given.
  child.stdin.on('error', () => {})
  return { end: promise, give: (input) => void child.stdin.end(Buffer.from(input, bytes)) }
}

// The caller's own GIT_* variables would point git elsewhere.
function cleanEnvironment(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {}
  for (const [name, value] of Object.entries(process.env)) if (!name.startsWith('GIT_')) env[name] = value
  return {
    ...env,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    // Older versions of git fetch missing objects all the same: then by no protocol, whatever the config says.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_LITERAL_PATHSPECS: '1',
  }
}
