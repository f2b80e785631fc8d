import { livingSession } from '../store/find.ts'
import { BoughError } from '../tree/error.ts'
import type { SessionID } from '../tree/ids.ts'
import { soonOnce } from '../tree/soon-once.ts'
import type { ConnectParts } from './connect.ts'
import { HeldSession } from './held-session.ts'
import { mustHaveDirectory } from './must-have-directory.ts'
import { mustNotBeRemoved } from './must-not-be-removed.ts'
import { lost } from './ownership.ts'

export interface HeldSessionsParts extends ConnectParts {
  /** Milliseconds between two renewals of what is held. */
  readonly renewEvery: number
  /** Milliseconds until a connection that is not used is closed. */
  readonly idleAfter: number
}

/** The sessions that this process owns. What is done in one is done one after the other; others get it when they ask. */
export class HeldSessions {
  readonly #parts: HeldSessionsParts
  readonly #held = new Map<SessionID, HeldSession>()
  readonly #queues = new Map<SessionID, Promise<unknown>>()
  readonly #closing = new AbortController()
  readonly #renewTimer: NodeJS.Timeout
  readonly #stopWatching: () => void

  constructor(parts: HeldSessionsParts) {
    this.#parts = parts
    this.#stopWatching = parts.store.watch(soonOnce(() => this.#lookAtRequests()))
    this.#renewTimer = setInterval(() => tryLater(this.#renew()), parts.renewEvery)
  }

  /** Aborted when everything is let go of. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  get(sessionID: SessionID): HeldSession | undefined {
    return this.#held.get(sessionID)
  }

  /** Something is done in it now, or waits for that. */
  isBusy(sessionID: SessionID): boolean {
    return this.#queues.has(sessionID)
  }

  /** One after the other in each session. */
  inTurn<T>(
    sessionID: SessionID,
    stop: AbortSignal,
    work: (held: HeldSession) => Promise<T>,
    { needsDirectory = true } = {},
  ): Promise<T> {
    const before = this.#queues.get(sessionID) ?? Promise.resolve()
    const done = before.then(async () => {
      if (needsDirectory) {
        const session = await livingSession(this.#parts.store, sessionID)
        await mustHaveDirectory(session)
        await mustNotBeRemoved(this.#parts.store, session.directory)
      }
      return this.#using(await this.#own(sessionID, stop), work)
    })
    const place = done.then(ignore, ignore)
    this.#queues.set(sessionID, place)
    void place.then(() => {
      if (this.#queues.get(sessionID) === place) this.#queues.delete(sessionID)
    })
    return done
  }

  /** Keeps it open for the next turn, if nobody else wants it. */
  async rest(held: HeldSession, left: HeldSession['left']): Promise<void> {
    const { store, idleAfter } = this.#parts
    held.left = left
    const stillOurs = (await store.owners.get(held.sessionID))?.epoch === held.epoch
    if (left || !stillOurs || this.#closing.signal.aborted || (await this.#isWanted(held))) {
      return this.letGo(held)
    }
    const { messages } = await livingSession(store, held.sessionID)
    held.rest(messages, idleAfter, () => tryLater(this.letGo(held)))
  }

  async letGo(held: HeldSession): Promise<void> {
    await held.leave(async () => {
      const { noteVersion } = await import('./catch-up.ts')
      await noteVersion(this.#parts, held).catch(ignore)
    })
    if (this.#held.get(held.sessionID) === held) this.#held.delete(held.sessionID)
  }

  /** Interrupts what runs, sends nothing that waits, and lets go of everything, also when one of them cannot be let go. */
  async close(): Promise<void> {
    this.#closing.abort(new BoughError('closed', 'bough was closed before the turn began; nothing was sent.'))
    clearInterval(this.#renewTimer)
    this.#stopWatching()
    await Promise.all(this.#queues.values())
    const ended = await Promise.allSettled([...this.#held.values()].map((held) => this.letGo(held)))
    for (const each of ended) if (each.status === 'rejected') throw each.reason
  }

  async #own(sessionID: SessionID, stop: AbortSignal): Promise<HeldSession> {
    stop.throwIfAborted()
    const { store, ownership } = this.#parts
    const session = await livingSession(store, sessionID)
    this.#parts.agents.named(session.agent)
    const known = this.#held.get(sessionID)
    if (known?.occupy()) {
      if (await ownership.renew(sessionID, known.epoch)) return known
    }
    if (known) await this.letGo(known)
    const epoch = await ownership.acquire(sessionID, stop)
    const held = new HeldSession(sessionID, epoch, ownership)
    this.#held.set(sessionID, held)
    return held
  }

  // A session that a failed attempt left in an unknown state is not kept: nobody else could have it.
  async #using<T>(held: HeldSession, work: (held: HeldSession) => Promise<T>): Promise<T> {
    try {
      return await work(held)
    } catch (error) {
      tryLater(this.letGo(held))
      throw error
    }
  }

  async #isWanted({ sessionID }: HeldSession): Promise<boolean> {
    return (await this.#parts.store.requests.of(sessionID)).some((request) => request.kind === 'turn')
  }

  async #lookAtRequests(): Promise<void> {
    for (const held of [...this.#held.values()]) await this.#answerRequests(held)
  }

  async #answerRequests(held: HeldSession): Promise<void> {
    const requests = await this.#parts.store.requests.of(held.sessionID)
    const { turn } = held
    if (turn && requests.some((request) => request.kind === 'abort' && request.turnID === turn.id)) {
      turn.abort(stoppedByPerson)
    }
    if (requests.some((request) => request.kind === 'abort' && request.turnID === null))
      held.preparing?.abort(new BoughError('closed', 'The session is being deleted; nothing was sent.'))
    if (!held.isBusy && requests.length > 0) tryLater(this.letGo(held))
  }

  async #renew(): Promise<void> {
    const { ownership } = this.#parts
    for (const held of [...this.#held.values()]) {
      const ours = await ownership.renew(held.sessionID, held.epoch)
      if (!ours) held.turn?.abort('Another process has taken this session over.')
      if (!ours) held.preparing?.abort(lost())
      if (held.isLeaving || (!ours && !held.isBusy)) tryLater(this.letGo(held))
    }
    await ownership.reclaimAbandoned()
  }
}

const ignore = (): void => {}

export const stoppedByPerson = 'You stopped it.'

/**
 * Work that nobody waits for, so that an agent which takes its time to end keeps no other session waiting. What the store refuses now
 * (a full disk, say) is tried again by the timer.
 */
const tryLater = (work: Promise<void>): void => void work.catch(() => {})
