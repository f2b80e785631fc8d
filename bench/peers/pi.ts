import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fileOf, isInstalled, pi as wanted } from '../../scripts/install-peers.ts'
import { noWayOut } from '../../test/support/server-sent.ts'
import { words } from '../words.ts'
import { bytesIn } from './bytes-in.ts'
import type { Forks, Peer } from './peer.ts'
import { type Command, toItsEnd, toItsFirstAnswer } from './program.ts'

/** What is used of its package. */
interface Package {
  readonly SessionManager: {
    forkFrom(file: string, cwd: string, sessions: string): unknown
  }
}

const inPackage = (...path: readonly string[]): string =>
  fileOf(wanted, '@earendil-works', 'pi-coding-agent', 'dist', ...path)

export const pi: Peer = {
  name: 'pi',
  version: wanted.version,
  installed: () => isInstalled(wanted),

  async coldStart(directory) {
    const command = (...args: readonly string[]): Command => ({
      command: process.execPath,
      args: [inPackage('bundle', 'cli.js'), ...args],
      env: piEnv(directory),
      cwd: directory,
    })
    const rpc = command('--mode', 'rpc', '--no-session')
    return {
      version: toItsEnd(command('--version')),
      ready: toItsFirstAnswer(rpc, { type: 'get_state', id: '1' }, '"success":true'),
    }
  },

  fork,
  snapshots: 'it takes none',
}

const piEnv = (home: string): NodeJS.ProcessEnv => ({
  ...noWayOut('http://127.0.0.1:9'),
  PATH: process.env.PATH,
  HOME: home,
  PI_CODING_AGENT_DIR: join(home, 'pi'),
  PI_OFFLINE: '1',
})

/** In this process, by its own session manager. */
async function fork(directory: string, sizes: readonly number[]): Promise<Forks> {
  const sessions = join(directory, 'sessions')
  await mkdir(sessions)
  const files = new Map<number, string>()
  for (const messages of sizes) files.set(messages, await writeSession(sessions, directory, messages))
  Object.assign(process.env, { PI_CODING_AGENT_DIR: join(directory, 'pi'), PI_OFFLINE: '1' })
  const { SessionManager }: Package = await import(pathToFileURL(inPackage('index.js')).href)
  return {
    fork: async (messages) => SessionManager.forkFrom(files.get(messages) ?? '', directory, sessions),
    size: () => bytesIn(sessions),
    close: async () => {},
  }
}

async function writeSession(folder: string, cwd: string, messages: number): Promise<string> {
  const timestamp = new Date().toISOString()
  const header = { type: 'session', version: 3, id: randomUUID(), timestamp, cwd }
  const entries = Array.from({ length: messages }, (_, i) => ({
    type: 'message',
    id: idOf(i),
    parentId: i === 0 ? null : idOf(i - 1),
    timestamp,
    message: i % 2 === 0 ? prompt : answer,
  }))
  const file = join(folder, `${header.id}.jsonl`)
  await writeFile(file, [header, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join(''))
  return file
}

const idOf = (i: number): string => i.toString(16).padStart(8, '0')

const content = [{ type: 'text', text: words }]
const prompt = { role: 'user', content, timestamp: 1_800_000_000_000 }
const answer = {
  role: 'assistant',
  content,
  api: 'anthropic-messages',
  provider: 'anthropic',
  model: 'claude-sonnet-5',
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 },
  stopReason: 'stop',
  timestamp: 1_800_000_000_000,
}
