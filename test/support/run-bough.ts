import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'

/** What is started as `bough`: the program as it is published. */
export const launcher = inject('launcher')

/** How it is started, and in which environment. */
export interface Started {
  readonly command: readonly [program: string, ...args: string[]]
  readonly env: NodeJS.ProcessEnv
}

const built: Started = { command: [process.execPath, launcher], env: process.env }

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly input?: string
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
}

/** A home of its own, and a project directory, for the real program. */
export interface World {
  readonly home: string
  readonly project: string
  readonly env: NodeJS.ProcessEnv
  /** Runs a command to its end. */
  bough(args: readonly string[], options?: RunOptions): Promise<Ended>
  /** Runs one that must succeed; what it printed. */
  ok(...args: readonly string[]): Promise<string>
  json(...args: readonly string[]): Promise<unknown>
  start(args: readonly string[], options?: RunOptions): Running
}

export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves when the text has been written, to stdout or stderr. */
  shows(text: string): Promise<void>
}

export function createWorld({ command: [program, ...before], env: around } = built): World {
  const root = mkdtempSync(join(tmpdir(), 'world-'))
  const home = join(root, 'home')
  const project = mkdtempSync(join(root, 'project-'))
  const env = { ...around, BOUGH_HOME: home }
  const start = (args: readonly string[], options: RunOptions = {}): Running => {
    const child = spawn(program, [...before, ...args], {
      cwd: options.cwd ?? project,
      env: { ...env, ...options.env },
      stdio: 'pipe',
    })
    // A command that fails early does not read what it was given.
    child.stdin.on('error', () => {})
    child.stdin.end(options.input ?? '')
    return watch(child)
  }
  const bough: World['bough'] = (args, options) => start(args, options).ended
  const ok: World['ok'] = async (...args) => {
    const ended = await bough(args)
    if (ended.code !== 0) throw new Error(`bough ${args.join(' ')} ended with ${ended.code}: ${ended.stderr}`)
    return ended.stdout
  }
  return {
    home,
    project,
    env,
    bough,
    ok,
    json: async (...args) => JSON.parse(await ok(...args, '--json')),
    start,
  }
}

function watch(child: ChildProcess): Running {
  let stdout = ''
  let stderr = ''
  let waiting: (() => void)[] = []
  const wake = () => {
    for (const look of waiting) look()
  }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    wake()
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    wake()
  })
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => {
      resolve({ code, stdout, stderr })
      wake()
    })
  })
  const shows = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = stdout.includes(text) || stderr.includes(text)
        if (!found && child.exitCode === null) return
        waiting = waiting.filter((other) => other !== look)
        if (found) resolve()
        else reject(new Error(`ended without showing "${text}":\n${stdout}\n${stderr}`))
      }
      waiting.push(look)
      look()
    })
  return { child, ended, shows }
}
