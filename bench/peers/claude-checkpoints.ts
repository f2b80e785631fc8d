import { join } from 'node:path'
import type * as Sdk from '@anthropic-ai/claude-agent-sdk'
import { MessageQueue } from '../../src/agents/message-queue.ts'
import {
  claudeHome,
  lastPrompt,
  type MessagesRequest,
  type Reply,
  startFakeAnthropic,
  text,
  toolUse,
} from '../../test/support/fake-anthropic.ts'
import type { Snapshots, Work } from './peer.ts'

const model = 'claude-sonnet-5'

/**
 * It keeps copies only of the files that its edit tools change, in the middle of a turn. So the model writes a file, and the same
 * turn is taken with and without: two Claudes, each open from turn to turn.
 */
export async function claudeCheckpoints(
  { query }: typeof Sdk,
  program: string,
  directory: string,
  project: string,
): Promise<Snapshots> {
  const written = { count: 0 }
  const fake = await startFakeAnthropic((request) => answer(request, project, written))
  const env = await claudeHome(fake, directory)
  const open: { close(): void }[] = []
  const turns = (enableFileCheckpointing: boolean): Work => {
    const prompts = new MessageQueue<Sdk.SDKUserMessage>()
    const talk = query({
      prompt: prompts,
      options: {
        cwd: project,
        model,
        env,
        enableFileCheckpointing,
        pathToClaudeCodeExecutable: program,
        permissionMode: 'acceptEdits',
        settingSources: [],
      },
    })
    open.push({
      close: () => {
        prompts.end()
        talk.close()
      },
    })
    const messages = talk[Symbol.asyncIterator]()
    return async () => {
      const before = written.count
      prompts.push({ type: 'user', message: { role: 'user', content: 'Write.' }, parent_tool_use_id: null })
      for (;;) {
        const { value, done } = await messages.next()
        if (done) throw new Error('Claude ended.')
        if (value.type === 'result') break
      }
      if (written.count !== before + 1) throw new Error('Claude wrote no file.')
    }
  }
  return {
    turn: turns(true),
    without: turns(false),
    close: async () => {
      for (const each of open) each.close()
      await fake.close()
    },
  }
}

function answer(request: MessagesRequest, project: string, written: { count: number }): Reply {
  if (lastPrompt(request) !== 'Write.') return { content: [text('Done.')] }
  const file_path = join(project, `new-${written.count++}.txt`)
  return { content: [toolUse('Write', { file_path, content: 'A line.\n' })] }
}
