import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { storeFile } from '../../src/store/open.ts'
import type { SessionID } from '../../src/tree/ids.ts'
import { captureFiles } from '../../src/workspace/capture/capture-files.ts'
import { findProject } from '../../src/workspace/project.ts'
import { Shadow } from '../../src/workspace/shadow/shadow.ts'
import { launcher, openBundled } from '../bundle.ts'
import { MadeUpTree } from '../made-up-tree.ts'
import { boughServe } from '../server-bundle.ts'
import { ServerProcess } from '../server-process.ts'
import { settledSize } from '../settled-size.ts'
import { changedFile } from './changed-file.ts'
import type { Forks, Peer } from './peer.ts'
import { toItsEnd } from './program.ts'

export const bough: Peer = {
  name: 'bough',
  version: manifest.version,
  installed: () => true,

  async coldStart(home) {
    const env = { ...process.env, BOUGH_HOME: home }
    return {
      version: toItsEnd({ command: process.execPath, args: [launcher, '--version'], env, cwd: home }),
      ready: async (aside) => {
        const server = await ServerProcess.start(boughServe(home))
        await aside(() => server.stop())
      },
    }
  },

  fork,

  // It takes one before and one after a turn, which cannot be switched off: so they are taken by themselves.
  async snapshots(directory, root) {
    const data = join(directory, 'captures')
    await mkdir(data)
    const capture = async () => {
      const project = await findProject(root)
      await captureFiles(await Shadow.open(data, project), project, Number.MAX_SAFE_INTEGER)
    }
    return {
      turn: async (aside) => {
        await capture()
        await aside(() => appendFile(changedFile(root), `${performance.now()}\n`))
        await capture()
      },
      without: null,
      close: async () => {},
    }
  },
}

async function fork(home: string, sizes: readonly number[]): Promise<Forks> {
  const tree = await MadeUpTree.open(home)
  const ids = new Map<number, SessionID>()
  for (const messages of sizes) ids.set(messages, (await tree.session(messages)).id)
  await tree.close()
  const bough = await openBundled(home)
  return {
    fork: async (messages) => {
      const id = ids.get(messages)
      if (id) await bough.fork(id, { files: 'same' })
    },
    size: async () => settledSize(storeFile(home)),
    close: () => bough.close(),
  }
}
