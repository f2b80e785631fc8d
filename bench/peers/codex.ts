import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { fileOf, isInstalled, codex as wanted } from '../../scripts/install-peers.ts'
import { AppServer } from '../../src/agents/codex/app-server.ts'
import { codexHome } from '../../test/support/codex-home.ts'
import { bytesIn } from './bytes-in.ts'
import { makeThreads } from './codex-threads.ts'
import type { Forks, Peer } from './peer.ts'
import { type Command, toItsEnd, toItsFirstAnswer } from './program.ts'

export const codex: Peer = {
  name: 'Codex',
  version: wanted.version,
  installed: () => isInstalled(wanted),

  async coldStart(directory) {
    const env = await codexHome({ url: 'http://127.0.0.1:9' }, '', directory)
    const command = (arg: string): Command => ({ command: program(), args: [arg], env, cwd: directory })
    const params = { clientInfo: { name: 'bench', version: '1', title: 'bench' } }
    return {
      version: toItsEnd(command('--version')),
      ready: toItsFirstAnswer(command('app-server'), { id: 1, method: 'initialize', params }, '"result"'),
    }
  },

  fork,
  snapshots: 'it takes none any more: "undo" was removed',
}

/** In a folder that is named for the machine and its compiler. */
function program(): string {
  const vendor = fileOf(wanted, '@openai', 'codex', 'vendor')
  const [target = ''] = readdirSync(vendor)
  return join(vendor, target, 'bin', 'codex')
}

const forked = z.looseObject({ thread: z.looseObject({ id: z.string(), forkedFromId: z.string() }) })

/** Through its app-server, as all its front ends do. */
async function fork(directory: string, sizes: readonly number[]): Promise<Forks> {
  const { env, threads } = await makeThreads(program(), directory, sizes)
  const server = AppServer.start(program(), env)
  await server.begin()
  const fork = async (messages: number) => {
    const threadId = threads.get(messages) ?? ''
    const { thread } = forked.parse(await server.request('thread/fork', { threadId, excludeTurns: true }))
    if (thread.forkedFromId !== threadId) throw new Error('Codex forked another thread.')
  }
  // It looks through what was written into a thread's file, once.
  for (const messages of sizes) await fork(messages)
  return {
    fork,
    // Its databases aside, which grow by a row or two.
    size: () => bytesIn(join(env.CODEX_HOME ?? '', 'sessions')),
    close: () => server.end(),
  }
}
