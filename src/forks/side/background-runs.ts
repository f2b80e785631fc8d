import { isSameProcess } from '../../process-identity.ts'
import { BoughError, hasCode, messageOf } from '../../tree/error.ts'
import type { ChannelID, SessionID } from '../../tree/ids.ts'
import type { Author } from '../../tree/message.ts'
import type { ProcessIdentity } from '../../tree/owner.ts'
import { scheduled } from '../../tree/prompts.ts'
import type { ForkOutcome, SideFork } from '../../tree/side-fork.ts'
import { onceAtATime } from '../../tree/soon-once.ts'
import type { TurnEnd } from '../../tree/turn.ts'
import type { Prompt } from '../../turns/running-turn.ts'
import type { Awake } from './awake.ts'
import { channelAt } from './channel-of.ts'
import { changesLeft, endFork, postChanges } from './end-fork.ts'
import { type EnterOptions, enterFork } from './enter-fork.ts'
import { post } from './post.ts'
import { contextOf } from './prompt-context.ts'
import type { SideParts } from './side-parts.ts'

// A background fork goes: waits (with the process that will run it) ──▶ runs, as one of so many ──▶ ended.
//
// One whose process is gone before its prompt was stored waits with another. After that it is never run again by itself: it
// has failed, unless its turn was over, and can be answered like all others.

export interface RunParts extends SideParts {
  /** Milliseconds between two looks at the clock. */
  readonly lookEvery: number
}

interface OwnParts extends RunParts {
  readonly awake: Awake
}

export type RunRequest = Omit<EnterOptions, 'kind' | 'from' | 'process'> & { readonly prompt: string }

const usualTimeout = 30 * 60_000

export class BackgroundRuns {
  readonly #parts: OwnParts
  readonly #closing = new AbortController()
  readonly #waiting = new Set<SessionID>()
  readonly #running = new Map<SessionID, { readonly stop: AbortController; readonly done: Promise<void> }>()
  readonly #beginWaiting = onceAtATime(() => this.#tryAllWaiting())
  #isResting = false

  constructor(parts: OwnParts) {
    this.#parts = parts
  }

  /** Begins a fork of a channel's main that runs by itself: here, or where somebody keeps time. */
  async start(where: ChannelID | SessionID, request: RunRequest, isHere: boolean): Promise<SideFork> {
    const { store, process } = this.#parts
    const channel = await store.transaction((tx) => channelAt(this.#parts, tx, where))
    const fork = await enterFork(this.#parts, channel.id, {
      timeout: usualTimeout,
      ...request,
      kind: 'background',
      from: channel.mainID,
      process: isHere ? process : null,
    })
    if (isHere) {
      this.#waiting.add(fork.sessionID)
      await this.look()
    }
    return fork
  }

  /** Whether some wait or go on here. */
  get isNeeded(): boolean {
    return this.#waiting.size > 0 || this.#running.size > 0
  }

  /** Begins those that wait here, as far as there is room. */
  async look(): Promise<void> {
    if (this.#waiting.size > 0) await this.#beginWaiting()
  }

  /** Takes on what nobody runs. One that cannot be taken on keeps no other from it. */
  async adopt(): Promise<void> {
    for (const fork of await this.#parts.store.sideForks.open())
      if (fork.kind === 'background') await this.#takeOn(fork).catch(() => {})
    await this.look()
  }

  /** Stops a run that somebody has ended. */
  async stop(sessionID: SessionID, why: string): Promise<void> {
    this.#waiting.delete(sessionID)
    const running = this.#running.get(sessionID)
    running?.stop.abort(new BoughError('closed', why))
    if (!running) await this.#parts.turns.abort(sessionID)
  }

  /** Begins none any more; resolves when those that run are over. */
  async rest(): Promise<void> {
    this.#isResting = true
    await this.#over()
  }

  /** Those that wait go to whoever keeps time next, as far as they can; those that run are cut off with their turns. */
  async close(): Promise<void> {
    this.#closing.abort(new BoughError('closed', 'bough was closed.'))
    await this.#over()
    const left = await Promise.allSettled([...this.#waiting].map((id) => this.#leave(id)))
    this.#waiting.clear()
    for (const each of left) if (each.status === 'rejected') throw each.reason
  }

  get #isLeaving(): boolean {
    return this.#isResting || this.#closing.signal.aborted
  }

  async #over(): Promise<void> {
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done))
  }

  async #leave(id: SessionID): Promise<void> {
    const { store, process } = this.#parts
    await store.transaction((tx) => tx.sideForks.adopt(id, process, null))
  }

  async #tryAllWaiting(): Promise<void> {
    if (this.#isLeaving) return
    for (const id of [...this.#waiting]) if ((await this.#tryToBegin(id)) === 'full') break
  }

  async #tryToBegin(id: SessionID): Promise<'begun' | 'full' | 'over'> {
    const { store, clock, process, limit, awake } = this.#parts
    const begins = await store.transaction(async (tx) => {
      const fork = await tx.sideForks.get(id)
      // Somebody has ended it, or runs it by now.
      if (fork?.state !== 'open' || !fork.process || !awake.isOurs(fork.process)) return 'over'
      return (await tx.sideForks.begin(id, process, clock(), limit)) ? 'begun' : 'full'
    })
    if (begins !== 'full') this.#waiting.delete(id)
    if (begins === 'begun') this.#begin(id)
    return begins
  }

  async #takeOn({ sessionID, process: from, promptID }: SideFork): Promise<void> {
    const { store, process, awake, turns } = this.#parts
    if (this.#waiting.has(sessionID) || this.#running.has(sessionID)) return
    if (from !== null && !awake.isOurs(from) && !(await awake.hasLeft(from))) return
    const turn = promptID && (await store.turns.ofPrompt(promptID))
    if (turn) {
      if (turn.outcome === null) await turns.abort(sessionID)
      else await this.#end(sessionID, from, { outcome: turn.outcome, reason: turn.reason })
    } else if (await store.transaction((tx) => tx.sideForks.adopt(sessionID, from, process)))
      this.#waiting.add(sessionID)
  }

  #begin(id: SessionID): void {
    const stop = new AbortController()
    const done = this.#parts.awake
      .during(() => this.#run(id, stop))
      .catch(() => {})
      .finally(() => {
        this.#running.delete(id)
        void this.look().catch(() => {})
      })
    this.#running.set(id, { stop, done })
  }

  async #run(id: SessionID, stop: AbortController): Promise<void> {
    const { store, turns } = this.#parts
    const fork = await store.sideForks.get(id)
    if (!fork) return
    const timer = this.#limitTime(fork, stop)
    let end: TurnEnd
    try {
      const notes = await this.#notesFor(fork)
      const before: Prompt['before'] = async (tx, messageID, others) => {
        if (!(await tx.sideForks.sent(id, this.#parts.process, messageID))) throw endedBefore()
        return contextOf(this.#parts, tx, id, messageID, [...others, ...notes])
      }
      const signal = AbortSignal.any([stop.signal, this.#closing.signal])
      const turn = await turns.send(id, { text: fork.prompt ?? '', author: authorOf(fork), before }, signal)
      end = await turn.ended
    } catch (error) {
      // Nothing was sent: whoever comes next can.
      if (this.#isLeaving && hasCode(error, 'closed')) return await this.#leave(id)
      end = { outcome: 'failed', reason: messageOf(error) }
    } finally {
      clearInterval(timer)
    }
    await this.#end(id, this.#parts.process, end, stop.signal.aborted)
  }

  // Wall-clock time counts, also where that is simulated or the machine has slept.
  #limitTime({ began, timeout, started }: SideFork, stop: AbortController): NodeJS.Timeout {
    const { clock, lookEvery } = this.#parts
    const limit = timeout ?? usualTimeout
    const look = () => {
      if (clock() - (began ?? started) > limit)
        stop.abort(new BoughError('closed', `It took longer than ${minutes(limit)}.`))
    }
    return setInterval(look, lookEvery).unref()
  }

  async #notesFor({ scheduleID, sessionID }: SideFork): Promise<readonly string[]> {
    if (scheduleID === null) return []
    const { store, zone } = this.#parts
    const schedule = await store.schedules.get(scheduleID)
    const run = (await store.schedules.runs(scheduleID, 100)).find((each) => each.sessionID === sessionID)
    return [scheduled(schedule?.kind ?? 'reminder', run?.how === 'late' ? run.due : null, zone)]
  }

  // Only a run that is still with the process that had it: another may have taken it on while that one stood still.
  async #end(
    id: SessionID,
    by: ProcessIdentity | null,
    { outcome, reason }: TurnEnd,
    isTimedOut = false,
  ): Promise<void> {
    const { store } = this.#parts
    const fork = await store.sideForks.get(id)
    if (fork?.state !== 'open') return
    if (outcome === 'finished' && fork.wish?.action === 'save') {
      await endFork(this.#parts, id, { action: 'save' })
      return
    }
    const how = outcome === 'finished' ? 'finished' : isTimedOut ? 'timed-out' : 'failed'
    const files = await changesLeft(this.#parts, id)
    await store.transaction(async (tx) => {
      if (!isWith(by, await tx.sideForks.get(id))) return
      if (!(await tx.sideForks.end(id, how, reason, this.#parts.clock()))) return
      tx.record({ kind: 'fork.ended', sessionID: id, subjectID: fork.channelID })
      if (how !== 'finished') {
        const title = (await tx.sessions.get(id))?.title ?? id
        const text = noticeOf(how, title, reason)
        await post(tx, this.#parts, fork.channelID, id, { kind: 'notice', text })
      }
      await postChanges(this.#parts, tx, fork, how, files)
    })
  }
}

function isWith(process: ProcessIdentity | null, fork: SideFork | null): boolean {
  if (!fork) return false
  return process && fork.process ? isSameProcess(process, fork.process) : process === fork.process
}

const authorOf = ({ origin }: SideFork): Author | undefined =>
  origin === 'agent' || origin === 'schedule' ? origin : undefined

const endedBefore = (): BoughError =>
  new BoughError('fork_ended', 'This run was ended before it began; nothing was sent.')

function noticeOf(how: ForkOutcome, title: string, reason: string | null): string {
  const what = how === 'timed-out' ? 'took too long and was stopped' : 'failed'
  const why = how === 'timed-out' || reason === null ? '' : `: ${reason.replace(/\.$/, '')}`
  return `The background run “${title}” ${what}${why}. Reply to this message to go on with it.`
}

function minutes(milliseconds: number): string {
  const count = Math.round(milliseconds / 60_000)
  return count === 1 ? '1 minute' : `${count} minutes`
}
