import { setImmediate as soon } from 'node:timers/promises'
import type { Store } from '../../store/store.ts'
import { BoughError, messageOf } from '../../tree/error.ts'
import type { ChannelID, InboxID, SessionID } from '../../tree/ids.ts'
import type { InboxItem, Incoming } from '../../tree/inbox.ts'
import type { TurnEnd } from '../../tree/turn.ts'
import { nextChange } from '../../turns/next-change.ts'
import type { Awake } from './awake.ts'
import { resolveLeft, tellFailure } from './left-items.ts'
import type { SideParts } from './side-parts.ts'

// One queue per channel, in the store: main and the open fork share it. Each process does what came to it, when its place has
// come; whoever sees that another has left something behind does that too, or says that it was cut off.

export interface QueueParts extends Pick<SideParts, 'store' | 'ids' | 'clock' | 'process'> {
  readonly awake: Awake
  /** Does it. Resolves with how its last turn ended; null where there was none. */
  perform(item: InboxItem, signal: AbortSignal): Promise<TurnEnd | null>
  /** Stops a turn that somebody has left running. */
  abort(sessionID: SessionID): Promise<unknown>
}

export interface PutOptions {
  readonly isUrgent?: boolean
  readonly isForMain?: boolean
}

interface ItemOptions {
  readonly signal?: AbortSignal
  /** Stores the item. */
  store?(): Promise<void>
}

/** What is open in a channel, and what of that is done next. */
interface Look {
  readonly open: readonly InboxItem[]
  readonly next: InboxItem | undefined
}

export class ChannelQueue {
  readonly #parts: QueueParts
  readonly #closing = new AbortController()
  readonly #resting = new AbortController()
  readonly #running = new Map<InboxID, { readonly item: InboxItem; readonly done: Promise<void> }>()

  /** Looks at channels that have not begun. */
  readonly #looks = new Map<ChannelID, Promise<Look>>()

  constructor(parts: QueueParts) {
    this.#parts = parts
  }

  /** An item as it is stored first. */
  newItem(
    channelID: ChannelID,
    what: Incoming,
    { isUrgent = false, isForMain = false }: PutOptions = {},
  ): InboxItem {
    const { ids, clock, process } = this.#parts
    const nothingYet = { state: 'waiting', forkID: null, messageID: null, reason: null } as const
    return { id: ids.inbox(), channelID, what, isUrgent, isForMain, process, ...nothingYet, created: clock() }
  }

  /**
   * Stores it where that is still to be done, waits for its place, and does it. Rejects with why it was refused. Aborted while it
   * waits, it is withdrawn.
   */
  run(item: InboxItem, { signal, store }: ItemOptions = {}): Promise<void> {
    const running = this.#running.get(item.id)
    if (running) return running.done
    const stop = AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])])
    const work = () => this.#run(item, stop, store)
    const done = this.#parts.awake.during(work).finally(() => this.#running.delete(item.id))
    this.#running.set(item.id, { item, done })
    return done
  }

  /** The same for what nobody waits for: where it fails, the person is told in the channel. */
  runAlone(item: InboxItem): void {
    if (this.#running.has(item.id)) return
    void this.run(item).catch((error) =>
      this.#isLeaving ? undefined : tellFailure(this.#parts, item, error).catch(() => {}),
    )
  }

  /** Does what the last turn of a channel asked for: that comes right after it. */
  async settled(channelID: ChannelID): Promise<void> {
    for (const item of await this.#parts.store.inbox.open(channelID))
      if (item.isUrgent && this.#parts.awake.isOurs(item.process)) this.runAlone(item)
    const asked = [...this.#running.values()].filter(
      ({ item }) => item.channelID === channelID && item.isUrgent,
    )
    await Promise.allSettled(asked.map(({ done }) => done))
  }

  /** Does what others have left behind in a channel, and what is ours and was left lying. */
  async recover(channelID: ChannelID): Promise<void> {
    await this.#recover(await this.#parts.store.inbox.open(channelID))
  }

  /** The same for what is ours, in all channels. */
  async recoverOwn(): Promise<void> {
    const { store, awake } = this.#parts
    for (const channelID of await store.inbox.busy())
      for (const item of await store.inbox.open(channelID))
        if (awake.isOurs(item.process) && !this.#running.has(item.id)) await this.#takeOn(item)
  }

  /** Begins nothing any more; resolves when what has begun is done. */
  async rest(): Promise<void> {
    this.#resting.abort(closed())
    await this.#over()
  }

  /** What waits stays in the store, for whoever comes next. */
  async close(): Promise<void> {
    this.#closing.abort(closed())
    await this.#over()
  }

  get #isLeaving(): boolean {
    return this.#closing.signal.aborted || this.#resting.signal.aborted
  }

  async #over(): Promise<void> {
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done))
  }

  // What has become a message is never done again by itself: its turn tells how it went.
  async #takeOn(item: InboxItem): Promise<void> {
    const { store, process } = this.#parts
    if (item.messageID !== null) return resolveLeft(this.#parts, item)
    // It may have begun here since it was looked at.
    if (this.#running.has(item.id)) return
    const isTaken = await store.transaction((tx) => tx.inbox.adopt(item.id, item.process, process))
    if (isTaken) this.runAlone({ ...item, state: 'waiting', process })
  }

  async #run(item: InboxItem, stop: AbortSignal, put?: () => Promise<void>): Promise<void> {
    const { store } = this.#parts
    // By now it is known to run here, before anybody can see it in the store.
    await put?.()
    try {
      await this.#place(item, AbortSignal.any([stop, this.#resting.signal]))
      // Its process may have been taken for dead, and somebody gone further with it.
      const taken = (await store.inbox.get(item.id)) ?? item
      const end = await this.#parts.perform(taken, stop)
      const failed = end !== null && end.outcome !== 'finished'
      await this.#end(item, failed ? 'failed' : 'done', failed ? end.reason : null)
    } catch (error) {
      if (error instanceof TakenOver) return this.#doneElsewhere(item, stop)
      // Closing is not the person's wish: what is no message yet waits for whoever comes next.
      const isPutBack = this.#isLeaving && (await this.#putBack(item))
      const isOver = isPutBack || (await this.#end(item, 'failed', messageOf(error)))
      if (!isOver) return this.#doneElsewhere(item, stop)
      throw error
    }
  }

  async #doneElsewhere({ id }: InboxItem, stop: AbortSignal): Promise<void> {
    const { store } = this.#parts
    for (;;) {
      const item = await store.inbox.get(id)
      if (!item || item.state === 'done') return
      if (item.state === 'failed')
        throw new BoughError('closed', item.reason ?? 'Another process could not do it.')
      await nextChange(store, stop)
    }
  }

  async #place(item: InboxItem, stop: AbortSignal): Promise<void> {
    const { store, process, awake } = this.#parts
    for (;;) {
      const { open, next } = await this.#look(item.channelID)
      if (next?.id === item.id && (await store.transaction((tx) => tx.inbox.begin(item.id, process)))) return
      const now = open.find(({ id }) => id === item.id)
      if (!now || !awake.isOurs(now.process)) throw new TakenOver()
      if (next && next.id !== item.id) await this.#recover(open)
      await nextChange(store, stop)
    }
  }

  // A hundred may wait in one channel, and all of them look whenever something changes: those who ask before a look begins share it.
  #look(channelID: ChannelID): Promise<Look> {
    const planned = this.#looks.get(channelID)
    if (planned) return planned
    const look = soon().then(async () => {
      this.#looks.delete(channelID)
      const open = await this.#parts.store.inbox.open(channelID)
      return { open, next: await firstOf(this.#parts.store, channelID, open) }
    })
    this.#looks.set(channelID, look)
    return look
  }

  async #recover(open: readonly InboxItem[]): Promise<void> {
    const { awake } = this.#parts
    for (const item of open) {
      if (this.#running.has(item.id) || this.#isLeaving) continue
      if (awake.isOurs(item.process) || (await awake.hasLeft(item.process))) await this.#takeOn(item)
    }
  }

  #putBack({ id }: InboxItem): Promise<boolean> {
    const { store, process } = this.#parts
    return store.transaction((tx) => tx.inbox.adopt(id, process, process))
  }

  // False when another process has it by now: how it ends is for that one to say.
  #end({ id }: InboxItem, state: 'done' | 'failed', reason: string | null): Promise<boolean> {
    const { store, awake } = this.#parts
    return store.transaction(async (tx) => {
      const now = await tx.inbox.get(id)
      if (now && !awake.isOurs(now.process)) return false
      await tx.inbox.end(id, state, reason)
      return true
    })
  }
}

const closed = (): BoughError =>
  new BoughError('closed', 'bough was closed; what waits is done when it runs again.')

/** Somebody else does it now. */
export class TakenOver extends Error {}

/** What is done next in a channel. What is for main waits while a fork is open. */
export async function nextIn(store: Store, channelID: ChannelID): Promise<InboxItem | undefined> {
  return firstOf(store, channelID, await store.inbox.open(channelID))
}

async function firstOf(
  store: Store,
  channelID: ChannelID,
  open: readonly InboxItem[],
): Promise<InboxItem | undefined> {
  if (open.every(({ isForMain }) => !isForMain)) return open[0]
  const isForkOpen = (await store.channels.get(channelID))?.openForkID !== null
  return open.find(({ isForMain, state }) => state === 'running' || !isForMain || !isForkOpen)
}
