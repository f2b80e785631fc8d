import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isInstalled, opencode as wanted } from '../../scripts/install-peers.ts'
import { msg, startFakeOpenAI } from '../../test/support/fake-openai.ts'
import { OpencodeServer, type OpencodeSetUp } from '../opencode-server.ts'
import { ServerProcess } from '../server-process.ts'
import { changedFile } from './changed-file.ts'
import type { Forks, Peer, Snapshots, Work } from './peer.ts'
import { toItsEnd } from './program.ts'

export const opencode: Peer = {
  name: 'opencode',
  version: wanted.version,
  installed: () => isInstalled(wanted),

  async coldStart(directory) {
    const { program } = await open(directory)
    return {
      version: toItsEnd({ ...program, args: ['--version'] }),
      ready: async (aside) => {
        const server = await ServerProcess.start(program)
        await aside(() => server.stop())
      },
    }
  },

  fork,
  snapshots,
}

async function open(directory: string, setUp?: OpencodeSetUp): Promise<OpencodeServer> {
  const opencode = await OpencodeServer.installed(directory, setUp)
  if (!opencode) throw new Error('It is not installed.')
  return opencode
}

/** Over HTTP: it has no other way in. */
async function fork(directory: string, sizes: readonly number[]): Promise<Forks> {
  const opencode = await open(directory)
  const ids = new Map<number, string>()
  for (const messages of sizes) ids.set(messages, await opencode.session(messages))
  const server = await ServerProcess.start(opencode.program)
  const fork = (messages: number) => server.ask('POST', `/session/${ids.get(messages)}/fork`, {})
  // Before it does anything for the first time, it tries for seconds to fetch its plugins.
  await fork(Math.min(...sizes))
  return {
    fork,
    size: async () => opencode.size(),
    close: () => server.stop(),
  }
}

/** Two servers whose model answers at once, one of them told to take no snapshots. */
async function snapshots(directory: string, project: string): Promise<Snapshots> {
  const fake = await startFakeOpenAI(() => ({ items: [msg('An answer.')] }))
  const servers: ServerProcess[] = []
  const close = async () => {
    for (const server of servers) await server.stop()
    await fake.close()
  }
  const turns = async (name: string, snapshot: boolean): Promise<Work> => {
    const config = { ...configFor(fake.url), snapshot }
    const { program } = await open(join(directory, name), { project, config })
    const server = await ServerProcess.start(program)
    servers.push(server)
    const { id } = await server.make('/session', {})
    const turn = async () => {
      const parts = [{ type: 'text', text: 'A prompt.' }]
      const { body } = await server.ask('POST', `/session/${id}/message`, { parts })
      if (body.includes('"snapshot"') !== snapshot) throw new Error(`The turn did something else: ${body}`)
    }
    await turn()
    return async (aside) => {
      await aside(() => appendFile(changedFile(project), `${performance.now()}\n`))
      await turn()
    }
  }
  try {
    return { turn: await turns('with', true), without: await turns('without', false), close }
  } catch (error) {
    await close()
    throw error
  }
}

const configFor = (baseURL: string): object => ({
  model: 'fake/model',
  small_model: 'fake/model',
  enabled_providers: ['fake'],
  share: 'disabled',
  provider: {
    fake: {
      npm: '@ai-sdk/openai',
      options: { baseURL, apiKey: 'dummy' },
      models: { model: { name: 'model' } },
    },
  },
})
