import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Sdk from '@anthropic-ai/claude-agent-sdk'
import { fileOf, isInstalled, platformAndLibc, claude as wanted } from '../../scripts/install-peers.ts'
import { claudeHome } from '../../test/support/fake-anthropic.ts'
import { claudeFolder, writeClaudeSession } from '../claude-session.ts'
import { words } from '../words.ts'
import { bytesIn } from './bytes-in.ts'
import { claudeCheckpoints } from './claude-checkpoints.ts'
import type { Forks, Peer } from './peer.ts'
import { type Command, toItsEnd, toItsFirstAnswer } from './program.ts'

const program = fileOf(wanted, '@anthropic-ai', `claude-code-${platformAndLibc}`, 'claude')
const talks = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose']

export const claude: Peer = {
  name: 'Claude Code',
  version: wanted.version,
  installed: () => isInstalled(wanted),

  async coldStart(directory) {
    const env = await claudeHome({ url: 'http://127.0.0.1:9' }, directory)
    const command = (...args: readonly string[]): Command => ({ command: program, args, env, cwd: directory })
    const request = { type: 'control_request', request_id: '1', request: { subtype: 'initialize' } }
    return {
      version: toItsEnd(command('--version')),
      ready: toItsFirstAnswer(command(...talks), request, '"control_response"'),
    }
  },

  fork,
  snapshots: async (directory, project) => claudeCheckpoints(await sdk(), program, directory, project),
}

const sdk = (): Promise<typeof Sdk> =>
  import(pathToFileURL(fileOf(wanted, '@anthropic-ai', 'claude-agent-sdk', 'sdk.mjs')).href)

/** In this process, by its own SDK, which copies the session's file. */
async function fork(directory: string, sizes: readonly number[]): Promise<Forks> {
  const [config, project] = [join(directory, 'config'), join(directory, 'project')]
  await mkdir(project)
  const folder = await claudeFolder(config, project)
  const ids = new Map<number, string>()
  for (const messages of sizes)
    ids.set(messages, await writeClaudeSession(folder, project, messages, () => words))
  const { forkSession } = await sdk()
  return {
    fork: (messages) => {
      // The SDK looks for sessions by this process's own.
      process.env.CLAUDE_CONFIG_DIR = config
      return forkSession(ids.get(messages) ?? '', { dir: project })
    },
    size: () => bytesIn(folder),
    close: async () => {},
  }
}
