import { stat } from 'node:fs/promises'
import type { Connection, Driver, Start } from '../agents/driver.ts'
import { livingSession } from '../store/find.ts'
import { readPositions } from '../store/line.ts'
import type { Store } from '../store/store.ts'
import { BoughError } from '../tree/error.ts'
import type { Clock, Ids, SessionID } from '../tree/ids.ts'
import type { Session } from '../tree/session.ts'
import type { Ownership } from './ownership.ts'
import { askPermission } from './permissions.ts'
import type { Policy } from './policy.ts'
import { RunningTurn } from './running-turn.ts'

/** A session that this process owns: its agent's connection stays open between turns. */
interface Held {
  readonly sessionID: SessionID
  readonly epoch: number
  connection: Connection | null
  /** How many messages the session had when the connection last saw them all. */
  seen: number
  turn: RunningTurn | null
  /** From the moment a turn has been promised the session until it has ended. */
  busy: boolean
  idleTimer: NodeJS.Timeout | null
}

export interface TurnsParts {
  readonly store: Store
  readonly ids: Ids
  readonly clock: Clock
  readonly ownership: Ownership
  readonly drivers: ReadonlyMap<string, Driver>
  readonly policy: Policy
  readonly ownDirectories: readonly string[]
  /** Milliseconds between two renewals of what is held. */
  readonly renewEvery: number
  /** Milliseconds until a connection that is not used is closed. */
  readonly idleAfter: number
}

/** Runs turns in the sessions that this process owns, and lets go of them when another process asks. */
export class Turns {
  readonly #parts: TurnsParts
  readonly #held = new Map<SessionID, Held>()
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

  /** Waits for its place, stores the prompt and starts the turn; resolves when the prompt is stored. */
  send(sessionID: SessionID, text: string, signal: AbortSignal): Promise<RunningTurn> {
    const begun = Promise.withResolvers<RunningTurn>()
    const anySignal = AbortSignal.any([signal, this.#closing.signal])
    const before = this.#queues.get(sessionID) ?? Promise.resolve()
    const done = before.then(async () => {
      try {
        const session = await livingSession(this.#parts.store, sessionID)
        this.#driverOf(session)
        await needsDirectory(session)
        const held = await this.#own(sessionID, anySignal)
        await this.#runTurn(held, text, signal, begun.resolve)
      } catch (error) {
        begun.reject(error)
      }
    })
    this.#queues.set(sessionID, done)
    void done.then(() => {
      if (this.#queues.get(sessionID) === done) this.#queues.delete(sessionID)
    })
    return begun.promise
  }

  async abort(sessionID: SessionID): Promise<boolean> {
    const turn = this.#held.get(sessionID)?.turn
    if (!turn) return this.#parts.ownership.askToAbort(sessionID)
    turn.abort('The person stopped it.')
    await turn.ended
    return true
  }

  async close(): Promise<void> {
    this.#closing.abort('bough was closed.')
    clearInterval(this.#renewTimer)
    this.#stopWatching()
    for (const { turn } of this.#held.values()) turn?.abort('bough was closed.')
    await Promise.all(this.#queues.values())
    for (const held of [...this.#held.values()]) await this.#letGo(held)
  }

  async #runTurn(
    held: Held,
    text: string,
    signal: AbortSignal,
    begun: (turn: RunningTurn) => void,
  ): Promise<void> {
    const { store, ids, clock, ownership } = this.#parts
    const { sessionID, epoch } = held
    const seen = (await livingSession(store, sessionID)).messages
    if (held.connection && held.seen !== seen) await this.#disconnect(held)
    const turn = await RunningTurn.begin(
      { store, ids, clock, sessionID, epoch, leaseEnd: () => ownership.leaseEnd() },
      text,
    )
    held.turn = turn
    if (held.idleTimer) clearTimeout(held.idleTimer)
    const onAbort = () => turn.abort('The person stopped it.')
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
    begun(turn)
    const { outcome } = await turn.run(() => this.#connect(held, turn))
    signal.removeEventListener('abort', onAbort)
    held.turn = null
    // After anything but a clean end nobody knows what state the agent is in.
    if (outcome !== 'finished') await this.#disconnect(held)
    await this.#afterTurn(held)
  }

  async #afterTurn(held: Held): Promise<void> {
    const { store, idleAfter } = this.#parts
    const stillOurs = (await store.owners.get(held.sessionID))?.epoch === held.epoch
    if (!stillOurs || this.#closing.signal.aborted || (await this.#isWanted(held))) return this.#letGo(held)
    held.seen = (await livingSession(store, held.sessionID)).messages
    held.idleTimer = setTimeout(() => tryLater(this.#letGo(held)), idleAfter).unref()
    held.busy = false
  }

  async #own(sessionID: SessionID, signal: AbortSignal): Promise<Held> {
    const known = this.#held.get(sessionID)
    if (known) {
      known.busy = true
      if (await this.#parts.ownership.renew(sessionID, known.epoch)) return known
      await this.#letGo(known)
    }
    const epoch = await this.#parts.ownership.acquire(sessionID, signal)
    const held: Held = {
      sessionID,
      epoch,
      connection: null,
      seen: 0,
      turn: null,
      busy: true,
      idleTimer: null,
    }
    this.#held.set(sessionID, held)
    return held
  }

  async #connect(held: Held, turn: RunningTurn): Promise<Connection> {
    if (held.connection) return held.connection
    const { store, ownership } = this.#parts
    const session = await livingSession(store, held.sessionID)
    const line = await store.sessions.line(session.id)
    const connection = await this.#driverOf(session).open({
      sessionID: session.id,
      model: session.model,
      cwd: session.directory,
      systemPrompt: '',
      start: startOf(session),
      // The prompt of this turn is stored already, and comes by itself.
      history: () => Array.fromAsync(readPositions(store, line)).then((messages) => messages.slice(0, -1)),
      tools: [],
      askPermission: (request, signal) => {
        const current = held.turn ?? turn
        return askPermission(
          {
            ...this.#parts,
            session,
            turnID: current.id,
            epoch: held.epoch,
            onAsked: (permission) => current.events.emit({ type: 'permission', permission }),
          },
          request,
          signal,
        )
      },
      recordProcess: (pid) => ownership.recordAgent(held.sessionID, held.epoch, pid),
    })
    // Opening took longer than anybody waited for it.
    if (held.turn !== turn) await connection.close()
    else held.connection = connection
    return connection
  }

  #driverOf({ agent }: Session): Driver {
    const driver = this.#parts.drivers.get(agent)
    if (driver) return driver
    const known = [...this.#parts.drivers.keys()].join(', ')
    throw new BoughError('agent_unknown', `There is no agent "${agent}" here. There is: ${known}.`)
  }

  async #letGo(held: Held): Promise<void> {
    this.#held.delete(held.sessionID)
    if (held.idleTimer) clearTimeout(held.idleTimer)
    await this.#disconnect(held)
    await this.#parts.ownership.release(held.sessionID, held.epoch)
  }

  async #disconnect(held: Held): Promise<void> {
    await held.connection?.close()
    held.connection = null
  }

  async #isWanted({ sessionID }: Held): Promise<boolean> {
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

  async #answerRequests(held: Held): Promise<void> {
    const requests = await this.#parts.store.requests.of(held.sessionID)
    const { turn } = held
    if (turn && requests.some((request) => request.kind === 'abort' && request.turnID === turn.id)) {
      turn.abort('The person stopped it.')
    }
    if (!held.busy && requests.some((request) => request.kind === 'turn')) await this.#letGo(held)
  }

  async #renew(): Promise<void> {
    const { ownership } = this.#parts
    for (const held of [...this.#held.values()]) {
      if (await ownership.renew(held.sessionID, held.epoch)) continue
      held.turn?.abort('Another process has taken this session over.')
      if (!held.busy) await this.#letGo(held)
    }
    await ownership.reclaimAbandoned()
  }
}

/** Work on a timer that nobody waits for: what the store refuses now (a full disk, say) is tried again the next time. */
const tryLater = (work: Promise<void>): void => void work.catch(() => {})

const startOf = (session: Session): Start =>
  session.nativeID === null ? { kind: 'fresh' } : { kind: 'resume', nativeID: session.nativeID }

export async function needsDirectory({ directory }: Pick<Session, 'directory'>): Promise<void> {
  const found = await stat(directory).catch(() => null)
  if (!found?.isDirectory()) {
    throw new BoughError(
      'directory_gone',
      `The session's directory ${directory} is gone. Make it again, then try once more.`,
    )
  }
}
