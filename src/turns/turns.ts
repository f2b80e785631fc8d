import type { Connection } from '../agents/driver.ts'
import { livingSession } from '../store/find.ts'
import type { Transaction } from '../store/store.ts'
import { BoughError, messageOf } from '../tree/error.ts'
import type { SessionID, TurnID } from '../tree/ids.ts'
import type { Message } from '../tree/message.ts'
import { nothingNew, type OwnCommand, type Reopened } from '../tree/native.ts'
import type { Turn } from '../tree/turn.ts'
import { isHeldBy } from './held-prompt.ts'
import type { HeldSession } from './held-session.ts'
import { HeldSessions, type HeldSessionsParts, stoppedByPerson } from './held-sessions.ts'
import { mustNotBeRemoved } from './must-not-be-removed.ts'
import { othersOrNobody } from './other-turns.ts'
import { mustNotBeRestoring, onceFree } from './restoring.ts'
import { type Prompt, RunningTurn } from './running-turn.ts'
import type { HandOverParts } from './seed/hand-over.ts'
import type { Snapshots } from './snapshots.ts'
import { takeSnapshot } from './take-snapshot.ts'
import { within } from './within.ts'

export interface TurnsParts extends HeldSessionsParts, HandOverParts {
  readonly snapshots: Snapshots
  readonly dataDirectory: string
  /** A turn is over: what it asked for is done before anybody is told. */
  afterTurn(sessionID: SessionID): Promise<void>
}

/** Runs turns, and what else is done in a session with its agent. */
export class Turns {
  readonly #parts: TurnsParts
  readonly #sessions: HeldSessions
  readonly #resting = new AbortController()
  /** Turns that have begun, until all is done that comes after them. */
  readonly #running = new Set<Promise<void>>()

  constructor(parts: TurnsParts) {
    this.#parts = parts
    this.#sessions = new HeldSessions(parts)
  }

  /**
   * Waits for its place, stores the prompt and starts the turn; resolves when the prompt is stored. Aborted before that,
   * it rejects and nothing was sent; after that, the turn is interrupted.
   */
  send(sessionID: SessionID, prompt: Prompt, signal: AbortSignal): Promise<RunningTurn> {
    const begun = Promise.withResolvers<RunningTurn>()
    const stop = AbortSignal.any([signal, this.#sessions.closing])
    const notBegun = AbortSignal.any([stop, this.#resting.signal])
    const giveUp = () => begun.reject(notBegun.reason)
    if (notBegun.aborted) giveUp()
    else notBegun.addEventListener('abort', giveUp)
    const done = this.#sessions.inTurn(sessionID, notBegun, async (held) => {
      await this.#prepare(held, notBegun)
      const turn = await this.#begin(held, prompt, () => {
        notBegun.throwIfAborted()
        notBegun.removeEventListener('abort', giveUp)
        this.#running.add(done)
      })
      begun.resolve(turn)
      await this.#run(held, turn, stop)
    })
    done.catch(begun.reject).finally(() => {
      notBegun.removeEventListener('abort', giveUp)
      this.#running.delete(done)
    })
    return begun.promise
  }

  /** Opens the session's agent ahead of its next prompt. Where that fails, the prompt will say why. */
  async warm(sessionID: SessionID): Promise<void> {
    if (this.#sessions.isBusy(sessionID) || this.#sessions.get(sessionID)?.connection) return
    // The prompt does not wait for an agent that hangs: it can be interrupted then.
    const stop = AbortSignal.any([this.#sessions.closing, AbortSignal.timeout(longestWarming)])
    const opened = this.#sessions.inTurn(sessionID, this.#sessions.closing, async (held) => {
      await this.#prepare(held, stop)
      const limits = { stop, patience: longestWarming, what: 'Its agent' }
      held.connection ??= await within(this.#open(held), limits, (late) => late.close())
      await this.#sessions.rest(held, null)
    })
    await opened.catch(() => {})
  }

  /** Hands a new fork the line before it. Where that fails, the session says so. */
  async seed(sessionID: SessionID): Promise<void> {
    const seeded = this.#sessions.inTurn(sessionID, this.#sessions.closing, async (held) => {
      await this.#prepare(held, this.#sessions.closing)
      await this.#sessions.rest(held, null)
    })
    // Also one that was closed before its turn came.
    await seeded.catch(() => this.#parts.store.transaction((tx) => tx.forkSeeds.giveUp(sessionID)))
  }

  /** Takes in what was said in the agent's own tool; not while somebody talks in the session here. */
  async catchUp(sessionID: SessionID): Promise<Reopened> {
    const { store, agents } = this.#parts
    const { native } = agents.named((await livingSession(store, sessionID)).agent)
    const isInUse = this.#sessions.get(sessionID)?.connection ?? (await store.owners.get(sessionID))
    if (!native || this.#sessions.isBusy(sessionID) || isInUse) return nothingNew
    const { catchUp } = await import('./catch-up.ts')
    const stop = this.#sessions.closing
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
        const why = messageOf(error)
        return { ...nothingNew, missing: why }
      } finally {
        await this.#sessions.letGo(held)
      }
    }
    return this.#sessions.inTurn(sessionID, stop, look, { needsDirectory: false })
  }

  /**
   * Lends a session to its agent's own tool: nobody talks in it here until the work is done, and then what was said there
   * joins it.
   */
  async lend<T>(sessionID: SessionID, work: (command: OwnCommand) => Promise<T>): Promise<T> {
    const stop = this.#sessions.closing
    return this.#sessions.inTurn(sessionID, stop, async (held) => {
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
        await this.#sessions.letGo(held)
      }
    })
  }

  /** The turn that runs in a session, in whichever process, or the one that is named; null where there is none. */
  async follow(sessionID: SessionID, turnID?: TurnID): Promise<Turn | null> {
    const { turn } = this.#sessions.get(sessionID) ?? {}
    if (turn && (turnID === undefined || turn.id === turnID)) return turn
    const { followTurn } = await import('./follow-turn.ts')
    return followTurn(this.#parts.store, this.#sessions.closing, sessionID, turnID)
  }

  async abort(sessionID: SessionID): Promise<boolean> {
    const { turn, preparing } = this.#sessions.get(sessionID) ?? {}
    if (preparing) {
      preparing.abort(new BoughError('closed', `${stoppedByPerson} Nothing was sent.`))
      return true
    }
    if (!turn) return this.#parts.ownership.askToAbort(sessionID)
    turn.abort(stoppedByPerson)
    await turn.ended
    return true
  }

  /** Begins no turn any more; resolves when those that run are over. */
  async rest(): Promise<void> {
    this.#resting.abort(new BoughError('closed', 'bough is being closed; nothing was sent.'))
    await Promise.allSettled(this.#running)
  }

  close(): Promise<void> {
    return this.#sessions.close()
  }

  /** A connection that has seen everything is used again. Without one, the session is made ready for the next. */
  async #prepare(held: HeldSession, stop: AbortSignal, mayOpen = true): Promise<void> {
    const session = await livingSession(this.#parts.store, held.sessionID)
    const { trust, agents } = this.#parts
    const { fingerprint } = await trust.accessFor(agents.named(session.agent), session.directory)
    await held.disconnectUnless(session, fingerprint)
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

  async #begin(held: HeldSession, prompt: Prompt, pointOfNoReturn: () => void): Promise<RunningTurn> {
    const { store, ids, clock } = this.#parts
    const { sessionID, fence } = held
    const session = await livingSession(store, sessionID)
    const onClosed = async (last: Message) => {
      await takeSnapshot(this.#parts, turn, last, fence)
      // What cannot be done now is done by whoever keeps time.
      await this.#parts.afterTurn(sessionID).catch(ignore)
    }
    const isHeld = (asked: Message) => isHeldBy(this.#parts, sessionID, asked)
    const parts = { store, ids, clock, sessionID, isHeld, fence, onClosed }
    const others = await othersOrNobody(this.#parts, session)
    const look = () => mustNotBeRestoring(store, session.directory)
    const turn: RunningTurn = await onceFree(look, async ({ stillFree, halfDone }) => {
      pointOfNoReturn()
      const mayBegin = async (tx: Transaction): Promise<void> => {
        await stillFree(tx)
        await mustNotBeRemoved(tx, session.directory)
      }
      const begun = await RunningTurn.begin({ ...parts, mayBegin }, prompt, others.told)
      for (const text of others.notices) begun.events.emit({ type: 'notice', text })
      if (halfDone) begun.events.emit({ type: 'notice', text: cutOff(halfDone.root) })
      return begun
    })
    held.turn = turn
    return turn
  }

  async #run(held: HeldSession, turn: RunningTurn, stop: AbortSignal): Promise<void> {
    const onStop = () => turn.abort(whyStopped(this.#sessions.closing.aborted, stop.reason))
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
    await this.#sessions.rest(held, stored ? null : end)
  }

  async #connect(held: HeldSession, turn: RunningTurn): Promise<Connection> {
    if (held.connection) return held.connection
    const connection = await this.#open(held)
    // Opening took longer than anybody waited for it.
    if (held.turn !== turn || held.isLeaving) await connection.close()
    else held.connection = connection
    return connection
  }

  async #open(held: HeldSession): Promise<Connection> {
    const session = await livingSession(this.#parts.store, held.sessionID)
    const { connect } = await import('./connect.ts')
    return connect(this.#parts, session, held)
  }
}

const cutOff = (root: string): string =>
  `Putting files back in ${root} was cut off: "bough undo" there takes it back, "bough undo --finish" finishes it.`

const ignore = (): void => {}

function whyStopped(isClosing: boolean, reason: unknown): string {
  if (isClosing) return 'bough was closed.'
  return reason instanceof BoughError ? reason.message : stoppedByPerson
}

/** Milliseconds. */
const longestWarming = 5_000
