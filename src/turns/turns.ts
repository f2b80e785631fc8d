import { stat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { Agents } from '../agents/agents.ts'
import type { Connection } from '../agents/driver.ts'
import { livingSession } from '../store/find.ts'
import type { Store } from '../store/store.ts'
import { BoughError } from '../tree/error.ts'
import type { Clock, Ids, SessionID } from '../tree/ids.ts'
import type { Message } from '../tree/message.ts'
import { nothingNew, type OwnCommand, type Reopened } from '../tree/native.ts'
import type { Session } from '../tree/session.ts'
import { HeldSession } from './held-session.ts'
import { lost, type Ownership } from './ownership.ts'
import type { Policy } from './policy.ts'
import { mustNotBeRestoring } from './restoring.ts'
import { RunningTurn } from './running-turn.ts'
import type { Snapshots } from './snapshots.ts'
import { takeSnapshot } from './take-snapshot.ts'

export interface TurnsParts {
  readonly store: Store
  readonly ids: Ids
  readonly clock: Clock
  readonly ownership: Ownership
  readonly agents: Agents
  readonly policy: Policy
  readonly snapshots: Snapshots
  readonly ownDirectories: readonly string[]
  /** Milliseconds between two renewals of what is held. */
  readonly renewEvery: number
  /** Milliseconds until a connection that is not used is closed. */
  readonly idleAfter: number
  /** Milliseconds until an agent is given up that says nothing to a seed. */
  readonly seedPatience: number
}

/** Runs turns in the sessions that this process owns, and lets go of them when another process asks. */
export class Turns {
  readonly #parts: TurnsParts
  readonly #held = new Map<SessionID, HeldSession>()
  readonly #queues = new Map<SessionID, Promise<unknown>>()
  readonly #closing = new AbortController()
  readonly #renewTimer: NodeJS.Timeout
  readonly #stopWatching: () => void
  #looking = false
  #unseen = false

  constructor(parts: TurnsParts) {
    this.#parts = parts
    this.#stopWatching = parts.store.watch(() => tryLater(this.#lookAtRequests()))
    this.#renewTimer = setInterval(() => tryLater(this.#renew()), parts.renewEvery)
  }

  /**
   * Waits for its place, stores the prompt and starts the turn; resolves when the prompt is stored. Aborted before that,
   * it rejects and nothing was sent; after that, the turn is interrupted.
   */
  send(sessionID: SessionID, text: string, signal: AbortSignal): Promise<RunningTurn> {
    const begun = Promise.withResolvers<RunningTurn>()
    const stop = AbortSignal.any([signal, this.#closing.signal])
    const giveUp = () => begun.reject(stop.reason)
    if (stop.aborted) giveUp()
    else stop.addEventListener('abort', giveUp)
    const done = this.#inTurn(sessionID, stop, async (held) => {
      await this.#prepare(held, stop)
      const turn = await this.#begin(held, text, () => {
        stop.throwIfAborted()
        stop.removeEventListener('abort', giveUp)
      })
      begun.resolve(turn)
      await this.#run(held, turn, stop)
    })
    done.catch(begun.reject)
    return begun.promise
  }

  /** Opens the session's agent ahead of its next prompt. Where that fails, the prompt will say why. */
  async warm(sessionID: SessionID): Promise<void> {
    if (this.#queues.has(sessionID) || this.#held.get(sessionID)?.connection) return
    // The prompt does not wait for an agent that hangs: it can be interrupted then.
    const stop = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(longestWarming)])
    const opened = this.#inTurn(sessionID, this.#closing.signal, async (held) => {
      await this.#prepare(held, stop)
      await Promise.race([this.#connect(held, null), pause(longestWarming, null, { ref: false })])
      await this.#rest(held, null)
    })
    await opened.catch(() => {})
  }

  /** Hands a new fork the line before it. Where that fails, the session says so. */
  async seed(sessionID: SessionID): Promise<void> {
    const seeded = this.#inTurn(sessionID, this.#closing.signal, async (held) => {
      await this.#prepare(held, this.#closing.signal)
      await this.#rest(held, null)
    })
    // Also one that was closed before its turn came.
    await seeded.catch(() => this.#parts.store.transaction((tx) => tx.forkSeeds.giveUp(sessionID)))
  }

  /** Takes in what was said in the agent's own tool; not while somebody talks in the session here. */
  async catchUp(sessionID: SessionID): Promise<Reopened> {
    const { store, agents } = this.#parts
    const { native } = agents.named((await livingSession(store, sessionID)).agent)
    const isInUse = this.#held.get(sessionID)?.connection ?? (await store.owners.get(sessionID))
    if (!native || this.#queues.has(sessionID) || isInUse) return nothingNew
    const { catchUp } = await import('./catch-up.ts')
    const stop = this.#closing.signal
    const look = async (held: HeldSession): Promise<Reopened> => {
      try {
        const { history: _, ...found } = await catchUp(this.#parts, held, native, { stop, withSeed: true })
        const { missing } = found
        return {
          ...found,
          missing: missing && `${missing} Your next prompt hands the conversation over anew.`,
        }
      } catch (error) {
        // The tree is there all the same.
        const why = error instanceof Error ? error.message : String(error)
        return { ...nothingNew, missing: why }
      } finally {
        await this.#letGo(held)
      }
    }
    return this.#inTurn(sessionID, stop, look, { needsDirectory: false })
  }

  /**
   * Lends a session to its agent's own tool: nobody talks in it here until the work is done, and then what was said there
   * joins it.
   */
  async lend<T>(sessionID: SessionID, work: (command: OwnCommand) => Promise<T>): Promise<T> {
    const stop = this.#closing.signal
    return this.#inTurn(sessionID, stop, async (held) => {
      const { store, agents } = this.#parts
      const [{ catchUp }, { ownCommand }] = await Promise.all([
        import('./catch-up.ts'),
        import('./own-command.ts'),
      ])
      await this.#prepare(held, stop, false)
      await held.disconnect()
      const session = await livingSession(store, sessionID)
      const { native } = agents.named(session.agent)
      try {
        return await work(await ownCommand(this.#parts, session, held))
      } finally {
        if (native) await catchUp(this.#parts, held, native, { stop }).catch(ignore)
        await this.#letGo(held)
      }
    })
  }

  async abort(sessionID: SessionID): Promise<boolean> {
    const { turn, preparing } = this.#held.get(sessionID) ?? {}
    if (preparing) {
      preparing.abort(new BoughError('closed', `${stoppedByPerson} Nothing was sent.`))
      return true
    }
    if (!turn) return this.#parts.ownership.askToAbort(sessionID)
    turn.abort(stoppedByPerson)
    await turn.ended
    return true
  }

  /** Interrupts what runs, sends nothing that waits, and lets go of everything, also when one of them cannot be let go. */
  async close(): Promise<void> {
    this.#closing.abort(new BoughError('closed', 'bough was closed before the turn began; nothing was sent.'))
    clearInterval(this.#renewTimer)
    this.#stopWatching()
    await Promise.all(this.#queues.values())
    const ended = await Promise.allSettled([...this.#held.values()].map((held) => this.#letGo(held)))
    for (const each of ended) if (each.status === 'rejected') throw each.reason
  }

  /** One after the other in each session. */
  #inTurn<T>(
    sessionID: SessionID,
    stop: AbortSignal,
    work: (held: HeldSession) => Promise<T>,
    { needsDirectory = true } = {},
  ): Promise<T> {
    const before = this.#queues.get(sessionID) ?? Promise.resolve()
    const done = before.then(async () => {
      if (needsDirectory) await mustHaveDirectory(await livingSession(this.#parts.store, sessionID))
      return this.#using(await this.#own(sessionID, stop), work)
    })
    const place = done.then(ignore, ignore)
    this.#queues.set(sessionID, place)
    void place.then(() => {
      if (this.#queues.get(sessionID) === place) this.#queues.delete(sessionID)
    })
    return done
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
    if (known) await this.#letGo(known)
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
      tryLater(this.#letGo(held))
      throw error
    }
  }

  /** A connection that has seen everything is used again. Without one, the session is made ready for the next. */
  async #prepare(held: HeldSession, stop: AbortSignal, mayOpen = true): Promise<void> {
    await held.disconnectUnless(await livingSession(this.#parts.store, held.sessionID))
    if (held.connection) return
    // Loaded when it is first needed, as what it stands on: a command that only reads starts faster without.
    const { prepare } = await import('./prepare.ts')
    const preparing = new AbortController()
    held.preparing = preparing
    try {
      const options = { stop: AbortSignal.any([stop, preparing.signal]), mayOpen }
      held.connection = await prepare(this.#parts, held, options)
    } finally {
      held.preparing = null
    }
  }

  async #begin(held: HeldSession, text: string, pointOfNoReturn: () => void): Promise<RunningTurn> {
    const { store, ids, clock } = this.#parts
    const { sessionID, fence } = held
    const session = await livingSession(store, sessionID)
    const { stillFree: mayBegin, halfDone } = await mustNotBeRestoring(store, session.directory)
    const onClosed = (last: Message) => takeSnapshot(this.#parts, turn, last, fence)
    pointOfNoReturn()
    const parts = { store, ids, clock, sessionID, fence, mayBegin, onClosed }
    const turn: RunningTurn = await RunningTurn.begin(parts, text)
    if (halfDone) turn.events.emit({ type: 'notice', text: cutOff(halfDone.root) })
    held.turn = turn
    return turn
  }

  async #run(held: HeldSession, turn: RunningTurn, stop: AbortSignal): Promise<void> {
    const onStop = () => turn.abort(this.#closing.signal.aborted ? 'bough was closed.' : stoppedByPerson)
    stop.addEventListener('abort', onStop)
    if (stop.aborted) onStop()
    const { end, stored, agentIsReady } = await turn.run(async () => {
      const [connection] = await Promise.all([
        this.#connect(held, turn),
        takeSnapshot(this.#parts, turn, turn.prompt, held.fence),
      ])
      return connection
    })
    stop.removeEventListener('abort', onStop)
    held.turn = null
    // Otherwise nobody knows what state it is in.
    if (!agentIsReady || !stored) await held.disconnect()
    await this.#rest(held, stored ? null : end)
  }

  /** Keeps it open for the next turn, if nobody else wants it. */
  async #rest(held: HeldSession, left: TurnEndLeft): Promise<void> {
    const { store, idleAfter } = this.#parts
    held.left = left
    const stillOurs = (await store.owners.get(held.sessionID))?.epoch === held.epoch
    if (left || !stillOurs || this.#closing.signal.aborted || (await this.#isWanted(held))) {
      return this.#letGo(held)
    }
    const { messages } = await livingSession(store, held.sessionID)
    held.rest(messages, idleAfter, () => tryLater(this.#letGo(held)))
  }

  async #connect(held: HeldSession, turn: RunningTurn | null): Promise<Connection> {
    if (held.connection) return held.connection
    const session = await livingSession(this.#parts.store, held.sessionID)
    const { connect } = await import('./connect.ts')
    const connection = await connect(this.#parts, session, held)
    // Opening took longer than anybody waited for it.
    if (held.turn !== turn || held.isLeaving) await connection.close()
    else held.connection = connection
    return connection
  }

  async #letGo(held: HeldSession): Promise<void> {
    await held.leave(async () => {
      const { noteVersion } = await import('./catch-up.ts')
      await noteVersion(this.#parts, held).catch(ignore)
    })
    if (this.#held.get(held.sessionID) === held) this.#held.delete(held.sessionID)
  }

  async #isWanted({ sessionID }: HeldSession): Promise<boolean> {
    return (await this.#parts.store.requests.of(sessionID)).some((request) => request.kind === 'turn')
  }

  // One look at a time, and another one when something was committed meanwhile.
  async #lookAtRequests(): Promise<void> {
    this.#unseen = true
    if (this.#looking) return
    this.#looking = true
    try {
      while (this.#unseen) {
        this.#unseen = false
        for (const held of [...this.#held.values()]) await this.#answerRequests(held)
      }
    } finally {
      this.#looking = false
    }
  }

  async #answerRequests(held: HeldSession): Promise<void> {
    const requests = await this.#parts.store.requests.of(held.sessionID)
    const { turn } = held
    if (turn && requests.some((request) => request.kind === 'abort' && request.turnID === turn.id)) {
      turn.abort(stoppedByPerson)
    }
    if (requests.some((request) => request.kind === 'abort' && request.turnID === null))
      held.preparing?.abort(new BoughError('closed', 'The session is being deleted; nothing was sent.'))
    if (!held.isBusy && requests.length > 0) await this.#letGo(held)
  }

  async #renew(): Promise<void> {
    const { ownership } = this.#parts
    for (const held of [...this.#held.values()]) {
      const ours = await ownership.renew(held.sessionID, held.epoch)
      if (!ours) held.turn?.abort('Another process has taken this session over.')
      if (!ours) held.preparing?.abort(lost())
      if (held.isLeaving || (!ours && !held.isBusy)) await this.#letGo(held)
    }
    await ownership.reclaimAbandoned()
  }
}

type TurnEndLeft = HeldSession['left']

const cutOff = (root: string): string =>
  `Putting files back in ${root} was cut off: "bough undo" there takes it back, "bough undo --finish" finishes it.`

const ignore = (): void => {}

/** Milliseconds. */
const longestWarming = 5_000

const stoppedByPerson = 'You stopped it.'

/** Work that nobody waits for: what the store refuses now (a full disk, say) is tried again by the timer. */
const tryLater = (work: Promise<void>): void => void work.catch(() => {})

export async function mustHaveDirectory({ directory }: Pick<Session, 'directory'>): Promise<void> {
  const found = await stat(directory).catch(() => null)
  if (!found?.isDirectory()) {
    throw new BoughError(
      'directory_gone',
      `The session's directory ${directory} is gone. Make it again, then try once more.`,
    )
  }
}
