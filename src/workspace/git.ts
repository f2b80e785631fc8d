import { spawn } from 'node:child_process'
import { BoughError } from '../tree/error.ts'

/** A git repository as seen by one call: its environment says which, its arguments make it harmless. */
export interface GitPlace {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export interface GitCall {
  readonly input?: string
  /** Kills git when it takes longer. */
  readonly timeout?: number
}

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
  const prelude = `set -e; git() { command git ${harmless.map((word) => `'${word}'`).join(' ')} "$@"; }; `
  return inputOf(start('sh', ['-c', prelude + script], place, {}))
}

/** Runs git where failing is an answer. It starts at once, and goes on when it gets its input. */
export const startGit = (place: GitPlace, args: readonly string[]): ((input: string) => Promise<GitEnd>) =>
  inputOf(start('git', [...harmless, ...args], place, {}))

function inputOf(running: Running): (input: string) => Promise<GitEnd> {
  // Whoever gives it its input hears of it; until then nobody listens.
  running.end.catch(() => {})
  return (input) => {
    running.give(input)
    return running.end
  }
}

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

interface Running {
  readonly end: Promise<GitEnd>
  /** All of it; what comes after that is not read. */
  give(input: string): void
}

function start(program: string, args: readonly string[], place: GitPlace, { timeout }: GitCall): Running {
  const { promise, resolve, reject } = Promise.withResolvers<GitEnd>()
  const child = spawn(program, args, {
    cwd: place.cwd,
    env: { ...cleanEnvironment(), ...place.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(timeout !== undefined && { timeout, killSignal: 'SIGKILL' as const }),
  })
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
  child.on('error', (cause) => {
    reject(new BoughError('git_missing', 'git cannot be started. Install it, then try again.', { cause }))
  })
  child.on('close', (code) => {
    resolve({
      code,
      stdout: Buffer.concat(stdout).toString(bytes),
      stderr: Buffer.concat(stderr).toString('utf8'),
    })
  })
  // One that fails early does not read what it was given.
  child.stdin.on('error', () => {})
  const give = (input: string): void => {
    if (!child.stdin.writableEnded) child.stdin.end(Buffer.from(input, bytes))
  }
  return { end: promise, give }
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
