import { openStore } from '../src/store/open.ts'
import type { Store } from '../src/store/store.ts'
import { createIds, type MessageID, type SessionID } from '../src/tree/ids.ts'
import type { NewMessage } from '../src/tree/message.ts'
import { words } from './words.ts'

export interface MadeUpSession {
  readonly id: SessionID
  /** Its last message: where the next one may fork. */
  readonly head: MessageID | null
}

const batch = 1000

/** Writes made-up sessions to the store in a directory, through the store's own transactions. */
export class MadeUpTree {
  readonly #project: string
  readonly #store: Store
  readonly #ids = createIds(Date.now, (length) => crypto.getRandomValues(new Uint8Array(length)))

  /** Its sessions work in that directory, too, unless another is named. */
  static async open(directory: string, project = directory): Promise<MadeUpTree> {
    return new MadeUpTree(project, await openStore(directory, Date.now))
  }

  private constructor(project: string, store: Store) {
    this.#project = project
    this.#store = store
  }

  /** A session with so many messages of its own; with a parent, a fork at that one's head. */
  async session(messages: number, parent?: MadeUpSession): Promise<MadeUpSession> {
    const id = this.#ids.session()
    const all = Array.from({ length: messages }, (_, i) => this.#message(messages - i))
    await this.#store.transaction(async (tx) => {
      await tx.sessions.insert({
        id,
        parentID: parent?.id ?? null,
        forkPoint: parent?.head ?? null,
        title: parent ? 'Fork of a made-up session' : 'A made-up session',
        titled: true,
        agent: 'offline',
        model: null,
        directory: this.#project,
        kind: parent ? 'branch' : 'root',
        labels: [],
        created: Date.now(),
      })
      tx.record({ kind: 'session.created', sessionID: id })
    }, 'relaxed')
    for (let made = 0; made < messages; made += batch) {
      const next = all.slice(made, made + batch)
      await this.#store.transaction(async (tx) => {
        await tx.messages.append(id, next)
        for (const message of next) tx.record({ kind: 'message.added', sessionID: id, subjectID: message.id })
      }, 'relaxed')
    }
    return { id, head: all.at(-1)?.id ?? null }
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  // Prompts and replies in turn, so that the last one is a reply.
  #message(fromTheEnd: number): NewMessage {
    const role = fromTheEnd % 2 === 1 ? 'assistant' : 'user'
    const parts = [{ type: 'text', text: words } as const]
    return { id: this.#ids.message(), role, parts, status: 'complete', created: Date.now() }
  }
}
