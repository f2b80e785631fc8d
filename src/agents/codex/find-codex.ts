import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { readTextIfThere } from '../../read-regular-file.ts'
import type { AgentCheck } from '../../tree/agent-check.ts'
import { BoughError, messageOf } from '../../tree/error.ts'
import { findOnPath, findPackage, versionOf, wordsOf } from '../installed.ts'

const packageName = '@openai/codex'
const install = `npm install -g ${packageName}`

/** Finds the program: the person's choice, or the first on the PATH, or the one in a package beside bough. */
export async function findCodex(env: NodeJS.ProcessEnv, chosen: string | null): Promise<string> {
  const found = await findOnPath(chosen ?? 'codex', env)
  if (found) return found
  if (chosen !== null) {
    throw new BoughError(
      'agent_failed',
      `There is no program ${chosen}. Correct it: bough config codex.executable PATH`,
    )
  }
  const packaged = await findPackaged(env)
  if (packaged) return packaged
  throw new BoughError('agent_failed', `Codex is not installed. Install it: ${install}`)
}

/** How a person calls the program that is found: by its name where that is enough. */
export async function codexAsTyped(env: NodeJS.ProcessEnv, chosen: string | null): Promise<string> {
  const program = await findCodex(env, chosen)
  return program === (await findOnPath('codex', env)) ? 'codex' : program
}

/** Quick, and without the network: what is there, not whether it would be accepted. */
export async function checkCodex(env: NodeJS.ProcessEnv, chosen: string | null): Promise<AgentCheck> {
  let program: string
  try {
    program = await findCodex(env, chosen)
  } catch (error) {
    if (chosen === null) return { installed: false, ready: false, detail: 'not installed', fix: install }
    return { installed: false, ready: false, detail: messageOf(error) }
  }
  const version = await versionOf(program, env)
  if (version === null) {
    const detail = `${program} does not run`
    return { installed: false, ready: false, detail, fix: install }
  }
  const detail = `${version}, ${program}`
  const says = (await isSignedIn(env)) ? 'signed in' : await loginStatus(program, env)
  if (says === 'signed in') return { installed: true, ready: true, detail }
  return {
    installed: true,
    ready: false,
    ...(says === 'not signed in' && { certain: true }),
    detail: `${detail}; not signed in`,
    fix: 'codex login',
  }
}

/** What it says itself: it also knows what is in a keyring. Null where it says nothing of the kind. */
async function loginStatus(
  program: string,
  env: NodeJS.ProcessEnv,
): Promise<'signed in' | 'not signed in' | null> {
  const said = await wordsOf(program, ['login', 'status'], env)
  if (/^Logged in/m.test(said)) return 'signed in'
  return /^Not logged in/m.test(said) ? 'not signed in' : null
}

/** The program itself rather than the script that starts it, which takes longer. */
async function findPackaged(env: NodeJS.ProcessEnv): Promise<string | null> {
  const target = targets[`${process.platform}-${process.arch}`]
  if (target === undefined) return null
  const file = join('vendor', target, 'bin', 'codex')
  const name = `${packageName}-${process.platform}-${process.arch}`
  return (await findPackage(name, file, env))?.path ?? null
}

const targets: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
}

/** As far as can be seen without asking it. */
export async function isSignedIn(env: NodeJS.ProcessEnv): Promise<boolean> {
  if (env.CODEX_API_KEY || env.OPENAI_API_KEY) return true
  if (existsSync(loginFile(env))) return true
  // A provider of the person's own has its own way to sign in.
  for (const place of [homeOf(env), '/etc/codex']) {
    const config = readTextIfThere(join(place, 'config.toml')) ?? ''
    if (/^\s*model_provider\s*=/m.test(config)) return true
  }
  return false
}

/** Where Codex keeps its login, unless that is in a keyring. */
export const loginFile = (env: NodeJS.ProcessEnv): string => join(homeOf(env), 'auth.json')

const homeOf = (env: NodeJS.ProcessEnv): string => env.CODEX_HOME || join(env.HOME || homedir(), '.codex')
