import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { query, type SDKUserMessage } from '@anthropic-ai/claude-agent-sdk'
import { MessageQueue } from '../src/agents/message-queue.ts'
import type { Bough } from '../src/bough.ts'
import type { SessionID } from '../src/tree/ids.ts'
import { captureFiles } from '../src/workspace/capture/capture-files.ts'
import { findProject } from '../src/workspace/project.ts'
import { Shadow } from '../src/workspace/shadow/shadow.ts'
import { claudeHome, startFakeAnthropic, text } from '../test/support/fake-anthropic.ts'
import { openBundled } from './bundle.ts'
import type { Group } from './row.ts'
import { interleave, Subject } from './subject.ts'

const model = 'claude-sonnet-5'
const turns = 40
const forks = 9
/** How long it takes a person to type a prompt. */
const typing = 2_000

/** The real Claude, with a model that answers at once. */
export const talking: Group = {
  name: 'agents',
  title: 'Turns and forks of the real Claude, beside driving it directly',
  async measure(directory) {
    const fake = await startFakeAnthropic(() => ({ content: [text('An answer.')] }))
    const env = await claudeHome(fake)
    Object.assign(process.env, env)
    const project = join(directory, 'project')
    await mkdir(project)
    const bough = await openBundled(join(directory, 'data'))
    const direct = new Direct(project)
    try {
      const { id } = await bough.create({ agent: 'claude', model, directory: project })
      const [ours, theirs, snapshots] = [
        new Subject('a turn through bough', () => turnOf(bough, id, 'ended')),
        new Subject('a turn, directly', () => direct.turn()),
        new Subject('the two snapshots of a turn', async () => {
          await capture(join(directory, 'captures'), project)
          await capture(join(directory, 'captures'), project)
        }),
      ]
      await interleave([ours, theirs, snapshots], turns)
      const added = ours.result.measured - theirs.result.measured - snapshots.result.measured

      const { nativeID } = await bough.session(id)
      const [warmFork, coldFork, theirFork] = [
        new Subject('fork to first token, warm', async (aside) => {
          const fork = await bough.fork(id, { files: 'same' })
          // Its Claude is opened when the person begins to type.
          await aside(() => Promise.all([bough.warm(fork.id), pause(typing)]))
          await turnOf(bough, fork.id, 'text')
        }),
        new Subject('fork to first token, cold', async () => {
          const fork = await bough.fork(id, { files: 'same' })
          await turnOf(bough, fork.id, 'text')
        }),
        new Subject('claude --resume --fork-session', () =>
          forkByCommand(direct.executable, nativeID ?? '', project),
        ),
      ]
      await interleave([warmFork, coldFork, theirFork], forks)
      return [
        { kind: 'fact', ...ours.result },
        { kind: 'fact', ...theirs.result },
        { kind: 'fact', ...snapshots.result },
        { kind: 'bound', what: 'what bough adds, snapshots aside', unit: 'ms', measured: added, limit: 10 },
        { kind: 'ratio', ...warmFork.result, baseline: theirFork.result, limit: 1 },
        { kind: 'fact', ...coldFork.result },
      ]
    } finally {
      await direct.close()
      await bough.close()
      await fake.close()
    }
  },
}

/** Sends a prompt; resolves at the first event of that type. The turn goes on to its end by itself. */
async function turnOf(bough: Bough, id: SessionID, until: 'text' | 'ended'): Promise<void> {
  for await (const event of (await bough.send(id, 'A prompt.')).events) if (event.type === until) return
}

async function capture(data: string, directory: string): Promise<void> {
  const project = await findProject(directory)
  await captureFiles(await Shadow.open(data, project), project, Number.MAX_SAFE_INTEGER)
}

/** Claude through its SDK and nothing else, open from turn to turn. */
class Direct {
  readonly #prompts = new MessageQueue<SDKUserMessage>()
  readonly #query
  readonly #messages
  executable = ''

  constructor(cwd: string) {
    const options = { cwd, model, includePartialMessages: true, permissionMode: 'default' as const }
    this.#query = query({
      prompt: this.#prompts,
      options: {
        ...options,
        spawnClaudeCodeProcess: ({ command, args, cwd, env }) => {
          this.executable = command
          return spawn(command, args, { ...(cwd && { cwd }), env, stdio: ['pipe', 'pipe', 'ignore'] })
        },
      },
    })
    this.#messages = this.#query[Symbol.asyncIterator]()
  }

  async turn(): Promise<void> {
    const content = [{ type: 'text' as const, text: 'A prompt.' }]
    const prompt: SDKUserMessage = {
      type: 'user',
      message: { role: 'user', content },
      parent_tool_use_id: null,
    }
    this.#prompts.push(prompt)
    for (;;) {
      const { value, done } = await this.#messages.next()
      if (done || value.type === 'result') return
    }
  }

  async close(): Promise<void> {
    this.#prompts.end()
    this.#query.close()
  }
}

/** Claude's own way to fork, as a command, until its first token. */
async function forkByCommand(executable: string, sessionID: string, cwd: string): Promise<void> {
  const args = ['--resume', sessionID, '--fork-session', '-p', 'A prompt.', '--model', model, '--verbose']
  const child = spawn(executable, [...args, '--output-format', 'stream-json', '--include-partial-messages'], {
    cwd,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('text_delta')) break
  child.kill('SIGKILL')
}
