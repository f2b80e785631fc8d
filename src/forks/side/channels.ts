import { setTimeout as pause } from 'node:timers/promises'
import { BoughError } from '../../tree/error.ts'
import type { ChannelFrontEnd, KeepTimeOptions, SayOptions } from '../../tree/front-end.ts'
import type { ChannelID, InboxID, OutboxID, SessionID } from '../../tree/ids.ts'
import type { InboxItem, Incoming } from '../../tree/inbox.ts'
import type { EndedFork, ExitAction, SideFork } from '../../tree/side-fork.ts'
import type { TurnEnd } from '../../tree/turn.ts'
import type { RunningTurn } from '../../turns/running-turn.ts'
import { Attendance } from './attendance.ts'
import { Awake, usualPatience } from './awake.ts'
import { BackgroundRuns, type RunParts, type RunRequest } from './background-runs.ts'
import { livingChannel } from './channel-of.ts'
import { ChannelQueue, nextIn, type PutOptions } from './channel-queue.ts'
import { noChanges, over, sideForkOf } from './end-fork.ts'
import { endRun } from './end-run.ts'
import { forgetting } from './forgetting.ts'
import { lookForIdle } from './idle-timer.ts'
import { click, goodInquiry, isForMain, used } from './incoming/click.ts'
import type { Desk } from './incoming/desk.ts'
import { exit } from './incoming/exit.ts'
import { fork } from './incoming/fork.ts'
import { idle } from './incoming/idle.ts'
import { message } from './incoming/message.ts'
import { schedule } from './incoming/schedule.ts'
import { postReply } from './post-reply.ts'
import { settle } from './settle.ts'
import { type Job, Timekeeper } from './timekeeper.ts'

export interface ChannelsParts extends RunParts {
  /** What else time brings. */
  readonly jobs: readonly Job[]
  /** Milliseconds that a process which stands still keeps what it has in hand. */
  readonly patience?: number | undefined
}

/** Milliseconds that a front end has to show the rest of a turn that is over. */
const showingLasts = 30_000

/** The channels, as far as this process has to do with them: what comes in, what is shown, what runs beside, what time brings. */
export class Channels {
  readonly runs: BackgroundRuns
  readonly #parts: ChannelsParts
  readonly #awake: Awake
  readonly #queue: ChannelQueue
  readonly #time: Timekeeper
  /** Those that came last come last. */
  readonly #attendances = new Set<Attendance>()
  readonly #inHand = new Set<OutboxID>()
  /** How what came in here is shown. */
  readonly #options = new Map<InboxID, SayOptions>()
  readonly #stopWatching: () => void
  #onIdle: (() => void) | null = null

  constructor(parts: ChannelsParts) {
    this.#parts = parts
    this.#awake = new Awake(parts.store, parts.process, parts.patience ?? usualPatience)
    this.runs = new BackgroundRuns({ ...parts, awake: this.#awake })
    this.#queue = new ChannelQueue({
      ...parts,
      awake: this.#awake,
      perform: (item, signal) => this.#perform(item, signal),
      abort: (sessionID) => parts.turns.abort(sessionID),
    })
    this.#time = new Timekeeper(parts, parts.lookEvery, {
      own: () => this.#queue.recoverOwn(),
      kept: [
        () => this.#recover(),
        () => this.runs.adopt(),
        () => lookForIdle(parts, this.#queue),
        ...parts.jobs,
        forgetting(parts),
      ],
      last: () => this.#tellIdle(),
    })
    this.#stopWatching = parts.store.watch(() => void this.runs.look().catch(() => {}))
  }

  /** Whether what this process begins can go on here: it stays for a while. */
  get isStaying(): boolean {
    return this.#time.isRunning
  }

  /** Takes in what came into a channel; resolves when it is done, with what its turn asked for. */
  async take(channelID: ChannelID, what: Incoming, options: SayOptions = {}): Promise<void> {
    const item = await this.#acceptable(channelID, what, options)
    this.#options.set(item.id, options)
    try {
      const { signal } = options
      const store = async (): Promise<void> => {
        await this.#accept(item)
        options.taken?.()
      }
      await this.#queue.run(item, { store, ...(signal && { signal }) })
      await this.#tellEntered(item, options)
      await this.#queue.settled(channelID)
    } catch (error) {
      if (!(error instanceof HeardBefore)) throw error
      options.taken?.()
    } finally {
      this.#options.delete(item.id)
      await Promise.all(this.#attending(channelID).map((each) => each.deliver()))
    }
  }

  newItem(channelID: ChannelID, what: Incoming, options: PutOptions): InboxItem {
    return this.#queue.newItem(channelID, what, options)
  }

  /** Does what was put into a queue from here, as far as this process stays. */
  begin(item: InboxItem): void {
    if (this.isStaying) this.#queue.runAlone(item)
  }

  async attend(channelID: ChannelID, frontEnd: ChannelFrontEnd): Promise<() => Promise<void>> {
    await livingChannel(this.#parts.store, channelID)
    const parts = { ...this.#parts, awake: this.#awake, inHand: this.#inHand }
    const attendance = new Attendance(parts, channelID, frontEnd)
    this.#attendances.add(attendance)
    await attendance.deliver()
    await this.keepTime()
    return async () => {
      this.#attendances.delete(attendance)
      await attendance.close()
    }
  }

  keepTime({ onIdle }: KeepTimeOptions = {}): Promise<void> {
    this.#onIdle ??= onIdle ?? null
    return this.#time.start()
  }

  /** Ends a fork: an interactive one in the queue of its channel, a background one at once. */
  async exit(forkID: SessionID, action: ExitAction, text: string | null): Promise<EndedFork> {
    const { store } = this.#parts
    const fork = await sideForkOf(store, forkID)
    if (fork.state === 'ended') throw over(fork)
    if (fork.kind === 'background') return endRun(this.#parts, this.runs, fork, { action, text })
    await this.take(fork.channelID, { kind: 'exit', action, forkID, text })
    const ended = await sideForkOf(store, forkID)
    const banner = (await store.outbox.of(forkID)).findLast(({ what }) => what.kind === 'ended')?.what
    return {
      fork: ended,
      outcome: ended.outcome ?? 'discarded',
      words: banner?.kind === 'ended' ? banner.words : 'The fork has ended.',
      files: (banner?.kind === 'ended' && banner.files) || noChanges,
    }
  }

  start(where: ChannelID | SessionID, request: RunRequest): Promise<SideFork> {
    return this.runs.start(where, request, this.isStaying)
  }

  /** How much still has to be done, in any channel, and can be. */
  async pending(): Promise<number> {
    const { store } = this.#parts
    const runs = (await store.sideForks.open()).filter(({ kind }) => kind === 'background').length
    const next = await Promise.all((await store.inbox.busy()).map((id) => nextIn(store, id)))
    return runs + next.filter((item) => item !== undefined).length
  }

  /** Begins nothing any more; resolves when what has begun is done. */
  async rest(): Promise<void> {
    await this.#time.stop()
    await Promise.all([this.#queue.rest(), this.runs.rest()])
  }

  async close(): Promise<void> {
    this.#stopWatching()
    await this.#time.stop()
    await Promise.all([this.#queue.close(), this.runs.close()]).finally(() =>
      Promise.all([...this.#attendances].map((each) => each.close())),
    )
  }

  /** Who shows a channel here. A turn is shown by the one that came last: another may be gone and not know it. */
  #attending(channelID: ChannelID): readonly Attendance[] {
    return [...this.#attendances].filter((each) => each.channelID === channelID)
  }

  async #acceptable(channelID: ChannelID, what: Incoming, { tell }: SayOptions): Promise<InboxItem> {
    const { store, clock } = this.#parts
    const { openForkID } = await livingChannel(store, channelID)
    if (what.kind === 'exit') {
      mustBeOf(channelID, await sideForkOf(store, what.forkID))
      if (await store.turns.running(what.forkID)) tell?.('The fork ends when this turn is over.')
    }
    if (what.kind !== 'click') return this.#queue.newItem(channelID, what)
    const inquiry = goodInquiry(await store.links.inquiry(what.inquiryID), what.inquiryID, clock())
    mustBeOf(channelID, inquiry)
    const toMain = await isForMain(store, inquiry)
    if (toMain && openForkID !== null) tell?.('That goes to the main conversation, when this fork has ended.')
    const { prompt } = inquiry
    return this.#queue.newItem(channelID, { ...what, prompt: toMain ? prompt : null }, { isForMain: toMain })
  }

  // A click that goes to main uses its button up at once, though it may have to wait for the open fork.
  async #accept(item: InboxItem): Promise<void> {
    const { store, clock } = this.#parts
    const { what, channelID, isForMain } = item
    await store.transaction(async (tx) => {
      const { openForkID } = await livingChannel(tx, channelID)
      if (what.kind === 'click') {
        if (isForMain && !(await tx.links.use(what.inquiryID, clock()))) throw used()
        if (openForkID !== null) await tx.sideForks.touch(openForkID, clock(), 'person')
      }
      if (what.kind === 'message' && what.externalID !== null) {
        if (await tx.inbox.hasHeard(channelID, what.externalID)) throw new HeardBefore()
        await tx.channels.heard(channelID, what.externalID)
      }
      await tx.inbox.insert(item)
    })
  }

  // Where another process keeps time, what this one has in hand is all that it is needed for.
  async #tellIdle(): Promise<void> {
    if (!this.#onIdle) return
    const hasNothing = this.#time.isKeptElsewhere && !this.#awake.isNeeded && !this.runs.isNeeded
    if (hasNothing || (await this.pending()) === 0) this.#onIdle()
  }

  // As it is stored: another process may have done it.
  async #tellEntered({ id }: InboxItem, { entered }: SayOptions): Promise<void> {
    const forkID = entered && (await this.#parts.store.inbox.get(id))?.forkID
    if (forkID) entered(forkID)
  }

  async #perform(item: InboxItem, signal: AbortSignal): Promise<TurnEnd | null> {
    const options = this.#options.get(item.id) ?? {}
    const desk: Desk = {
      parts: this.#parts,
      item,
      signal,
      show: (turn) => this.#show(turn, item, options),
      tell: (words) => options.tell?.(words),
    }
    const { what } = item
    switch (what.kind) {
      case 'message':
        return message(desk, what)
      case 'fork':
        return fork(desk, what)
      case 'exit':
        return exit(desk, what)
      case 'click':
        return click(desk, what)
      case 'idle':
        return idle(desk, what)
      case 'schedule':
        return schedule(desk, what)
    }
  }

  // Where nobody shows it here, what the agent said is left for whoever does.
  async #show(turn: RunningTurn, item: InboxItem, options: SayOptions): Promise<void> {
    tellBegan(turn, options)
    const attendance = this.#attending(item.channelID).at(-1)
    attendance?.showing.add(turn.id)
    try {
      // What came before it and could not be shown yet comes before it.
      const isBehind = (await attendance?.isBehind()) ?? true
      const shown = options.show?.(turn, item) ?? (isBehind ? null : attendance?.frontEnd.show(turn, item))
      if (shown) return await withGrace(turn, shown)
    } catch {
      // The turn goes on whether somebody shows it or not.
    } finally {
      attendance?.showing.delete(turn.id)
    }
    await postReply(this.#parts, turn, item)
  }

  async #recover(): Promise<void> {
    const { store } = this.#parts
    for (const channelID of await store.inbox.busy()) await this.#queue.recover(channelID)
    for (const fork of await store.sideForks.open()) await this.#settleLeft(fork).catch(() => {})
  }

  // A turn whose process died before it could make the change that was asked for.
  async #settleLeft({ sessionID, channelID, wish }: SideFork): Promise<void> {
    const { store } = this.#parts
    if (!wish || (await store.turns.running(sessionID))) return
    if ((await store.inbox.open(channelID)).some(({ state }) => state === 'running')) return
    await settle(this.#parts, sessionID)
  }
}

/** A message of the chat that has come in already. */
class HeardBefore extends Error {}

function tellBegan(turn: RunningTurn, { began }: SayOptions): void {
  try {
    began?.(turn)
  } catch {
    // The turn goes on, whatever becomes of the one who asked.
  }
}

/** Waits until a turn is shown; but nobody else waits for ever because a front end hangs. */
async function withGrace(turn: RunningTurn, shown: Promise<void>): Promise<void> {
  const late = turn.ended.then(() => pause(showingLasts, undefined, { ref: false }))
  await Promise.race([shown, late])
}

function mustBeOf(channelID: ChannelID, thing: { readonly channelID: ChannelID }): void {
  if (thing.channelID !== channelID)
    throw new BoughError('bad_input', 'That belongs to another channel. Do it there.')
}
