import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AgentCheck } from '../../tree/agent-check.ts'
import { BoughError, messageOf } from '../../tree/error.ts'
import { findOnPath, findPackage, versionOf } from '../installed.ts'

export type Sdk = typeof import('@anthropic-ai/claude-agent-sdk')

export interface Claude {
  readonly sdk: Sdk
  /** Null for the one that came with the SDK. */
  readonly executable: string | null
}

const packageName = '@anthropic-ai/claude-agent-sdk'

/** Finds the SDK and the program: the person's own installation first, then the one that the SDK brought. */
export async function findClaude(env: NodeJS.ProcessEnv, chosen: string | null): Promise<Claude> {
  return { sdk: await findSdk(env), executable: await executableOf(env, chosen) }
}

/** Enough for looking into its sessions: asking a program for its version takes longer than that. */
export async function findSdk(env: NodeJS.ProcessEnv): Promise<Sdk> {
  const found = await findPackage(packageName, 'sdk.mjs', env)
  if (found === null) throw new BoughError('agent_failed', `Claude is not installed. ${install}`)
  return import(pathToFileURL(found.path).href)
}

/** What a person types to run it: its name where that finds it, else its path. */
export async function programOf({ executable }: Claude, env: NodeJS.ProcessEnv): Promise<string> {
  if (executable !== null) return executable === (await findOnPath('claude', env)) ? 'claude' : executable
  const sdk = await findPackage(packageName, 'sdk.mjs', env)
  const { resolve } = createRequire(sdk?.path ?? import.meta.url)
  const name = process.platform === 'win32' ? 'claude.exe' : 'claude'
  for (const libc of ['', '-musl']) {
    try {
      return resolve(`${packageName}-${process.platform}-${process.arch}${libc}/${name}`)
    } catch {}
  }
  throw new BoughError('agent_failed', `The program claude is not installed. ${install}`)
}

const install = `Install it: npm install -g ${packageName}`

/** What the SDK needs; an older program does not know what it is told. */
const oldest = [2, 1, 261]

async function executableOf(env: NodeJS.ProcessEnv, chosen: string | null): Promise<string | null> {
  const found = await findOnPath(chosen ?? 'claude', env)
  if (chosen === null) return found && (await isRecent(found, env)) ? found : null
  if (found) return found
  throw new BoughError(
    'agent_failed',
    `There is no program ${chosen}. Correct it: bough config claude.executable PATH`,
  )
}

async function isRecent(program: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const [, ...parts] = /(\d+)\.(\d+)\.(\d+)/.exec((await versionOf(program, env)) ?? '') ?? []
  const differing = parts.findIndex((part, i) => Number(part) !== oldest[i])
  return parts.length > 0 && Number(parts[differing] ?? 0) >= (oldest[differing] ?? 0)
}

/** Quick, and without the network: what is there, not whether it would be accepted. */
export async function checkClaude(env: NodeJS.ProcessEnv, chosen: string | null): Promise<AgentCheck> {
  const found = await findPackage(packageName, 'sdk.mjs', env)
  if (found === null) {
    return { installed: false, ready: false, detail: 'not installed', fix: `npm install -g ${packageName}` }
  }
  let program: string
  try {
    program = (await executableOf(env, chosen)) ?? 'the program that came with it'
  } catch (error) {
    return { installed: false, ready: false, detail: messageOf(error) }
  }
  const detail = `agent SDK ${found.version}, ${program}`
  if (isSignedIn(env)) return { installed: true, ready: true, detail }
  return {
    installed: true,
    ready: false,
    detail: `${detail}; not signed in`,
    fix: `Set ANTHROPIC_API_KEY, or sign in: ${program.endsWith('claude') ? program : 'npx @anthropic-ai/claude-code'} auth login`,
  }
}

/** Ways to sign in that leave something to be seen. */
const keys = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
]

function isSignedIn(env: NodeJS.ProcessEnv): boolean {
  if (keys.some((key) => env[key])) return true
  const directory = env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude')
  // On a Mac it is in the keychain; there, who has settings has signed in once.
  const sign = process.platform === 'darwin' ? 'settings.json' : '.credentials.json'
  return [sign, '.credentials.json'].some((name) => existsSync(join(directory, name)))
}
