import type { AgentEvent, Driver, NativeHistory, Start } from '../../src/agents/driver.ts'
import { BoughError } from '../../src/tree/error.ts'
import type { Json } from '../../src/tree/message.ts'
import type { NativeMessage } from '../../src/tree/native.ts'

/** What a scripted agent says to a prompt. */
export type Script = (
  prompt: string,
  signal: AbortSignal,
  ask: () => Promise<boolean>,
  /** Calls one of bough's own tools; resolves with what it said. */
  use: (tool: string, args: Json) => Promise<string>,
) => AsyncIterable<AgentEvent>

/** An agent with a history of its own, which does what a test says. Its native sessions are there to be looked at. */
export class ScriptedAgent {
  /** Where its sessions work. */
  directory = '/'
  readonly driver: Driver
  /** What was said in each of its native sessions. */
  readonly sessions = new Map<string, NativeMessage[]>()
  readonly starts: Start[] = []
  /** Its process never comes up. */
  hangs = false
  script: Script
  #made = 0

  constructor(name: string, script: Script, window: number | null = 200_000) {
    this.script = script
    const { sessions, starts } = this
    this.driver = {
      name,
      capabilities: { history: 'native' },
      settings: [],
      shipped: async () => [],
      contextWindow: async () => window,
      native: {
        list: async () => [],
        version: async (nativeID) => {
          const said = sessions.get(nativeID)
          return said ? JSON.stringify(said).length.toString() : null
        },
        read: async (nativeID) => this.#read(nativeID),
        command: async () => ({ command: ['true'], nativeID: '' }),
      },
      check: async () => ({ installed: true, ready: true, detail: 'does what the test says' }),
      close: async () => {},
      open: async ({ start, askPermission, tools }) => {
        starts.push(start)
        if (this.hangs) await new Promise(() => {})
        if (start.kind !== 'fresh' && !sessions.has(start.nativeID))
          throw new BoughError('native_missing', 'It is gone.')
        const nativeID = start.kind === 'resume' ? start.nativeID : `${name}-${this.#made++}`
        const said = this.#begin(nativeID, start)
        const ask = async () => {
          const request = { tool: 'run', action: 'run' as const, detail: 'ls' }
          return (await askPermission(request, new AbortController().signal)).allow
        }
        const use: Parameters<Script>[3] = async (name, args) =>
          (await tools.find((tool) => tool.name === name)?.call(args))?.output ?? 'There is no such tool.'
        const entry = () => `${nativeID}:${said.length}`
        const play: Script = (...told) => this.script(...told)
        return {
          close: async () => {},
          async *send(prompt, signal) {
            const note = (role: NativeMessage['role'], text: string) =>
              said.push({
                role,
                parts: [{ type: 'text', text }],
                status: 'complete',
                created: 0,
                nativeID: `${nativeID}:${said.length + 1}`,
              })
            yield { type: 'native-session', nativeID }
            note('user', prompt)
            let words = ''
            for await (const event of play(prompt, signal, ask, use)) {
              if (event.type === 'text') words += event.text
              if (event.type === 'message-finished') {
                note('assistant', words)
                words = ''
                yield { ...event, nativeID: entry() }
              } else yield event
            }
          },
        }
      },
    }
  }

  /** What it was told in the newest native session, the prompts only. */
  get told(): readonly string[] {
    const newest = [...this.sessions.values()].at(-1) ?? []
    return newest.flatMap(({ role, parts }) =>
      role === 'user' ? parts.flatMap((part) => (part.type === 'text' ? part.text : [])) : [],
    )
  }

  #begin(nativeID: string, start: Start): NativeMessage[] {
    const from = start.kind === 'fork' ? (this.sessions.get(start.nativeID) ?? []) : []
    const at = start.kind === 'fork' ? from.findIndex((each) => each.nativeID === start.at) : -1
    const said = this.sessions.get(nativeID) ?? from.slice(0, at + 1)
    this.sessions.set(nativeID, said)
    return said
  }

  #read(nativeID: string): NativeHistory {
    const messages = this.sessions.get(nativeID)
    if (!messages) throw new BoughError('native_missing', 'It is gone.')
    return {
      session: {
        nativeID,
        title: '',
        directory: this.directory,
        created: 0,
        updated: 0,
        bytes: null,
        forkedFrom: null,
      },
      model: null,
      shared: 0,
      version: JSON.stringify(messages).length.toString(),
      messages,
    }
  }
}

/** Says one thing and is done. */
export async function* says(...pieces: readonly string[]): AsyncGenerator<AgentEvent> {
  for (const text of pieces) yield { type: 'text', text }
  yield { type: 'message-finished', usage: { ...noTokens, inputTokens: 7 } }
  yield { type: 'turn-finished', reason: 'done' }
}

const noTokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUSD: 0 }
