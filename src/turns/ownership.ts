import { endProcess, livenessOf, startOf } from '../process-identity.ts'
import { livingSession } from '../store/find.ts'
import type { Reader, Store, Transaction } from '../store/store.ts'
import { BoughError } from '../tree/error.ts'
import type { Clock, Ids, SessionID } from '../tree/ids.ts'
import type { Owner, OwnerRequest, ProcessIdentity } from '../tree/owner.ts'
import type { TurnEnd } from '../tree/turn.ts'
import { closeLeftTurn } from './close-turn.ts'
import { nextChange } from './next-change.ts'

// Who runs a session, across processes.
//
//   free ── take ──▶ held ── release ──▶ free
//                     │
//                     └─ its process is dead, or its lease has passed and it does not stir
//                        ──▶ reclaimed: the epoch rises (who lost it can write nothing from then on), then its agent's
//                            process is ended, then its turn is closed as interrupted ──▶ held by the next, or free
//
// Turns wait in line: a `turn` request is both a place in the queue and the wish that the owner let go when idle. Only
// the oldest request of a process that lives and is not suspended may take a session.

/** How long a lease holds without being renewed: the limit for a process that is suspended. */
export const defaultLease = 10_000

export class Ownership {
  readonly #store: Store
  readonly #ids: Ids
  readonly #clock: Clock
  readonly #lease: number
  readonly #process: ProcessIdentity

  constructor(parts: { store: Store; ids: Ids; clock: Clock; lease: number; process: ProcessIdentity }) {
    this.#store = parts.store
    this.#ids = parts.ids
    this.#clock = parts.clock
    this.#lease = parts.lease
    this.#process = parts.process
  }

  /** Takes a session, waiting for its place in line; resolves with the epoch. */
  async acquire(sessionID: SessionID, signal: AbortSignal): Promise<number> {
    const request = this.#request(sessionID, 'turn')
    signal.throwIfAborted()
    const gone = await this.#leftBehind(sessionID)
    const atOnce = await this.#store.transaction(async (tx) => {
      await livingSession(tx, sessionID)
      for (const each of gone) await tx.requests.remove(each.id)
      const waiting = await tx.requests.of(sessionID)
      if (!waiting.some((each) => each.kind === 'turn')) {
        const epoch = await this.#take(tx, sessionID, null)
        if (epoch !== null) return epoch
      }
      await tx.requests.insert(request)
      tx.record({ kind: 'request.made', sessionID, subjectID: request.id })
      return null
    }, 'relaxed')
    if (atOnce !== null) return atOnce
    try {
      return await this.#waitInLine(request, signal)
    } catch (error) {
      await this.#store.transaction((tx) => tx.requests.remove(request.id), 'relaxed')
      throw error
    }
  }

  /** Moves the lease on; false when the session is lost. */
  renew(sessionID: SessionID, epoch: number): Promise<boolean> {
    return this.#store.transaction((tx) => tx.owners.hold(sessionID, epoch, this.#leaseEnd()), 'relaxed')
  }

  /** The fence: moves the lease on, or throws when the session has changed hands. */
  async hold(tx: Transaction, sessionID: SessionID, epoch: number): Promise<void> {
    if (!(await tx.owners.hold(sessionID, epoch, this.#leaseEnd()))) throw lost()
  }

  /** Lets go of a session; a turn that is still open there is closed, as ended in the way `left` says. */
  async release(sessionID: SessionID, epoch: number, left = abandoned): Promise<void> {
    await this.#store.transaction(async (tx) => {
      if (!(await tx.owners.release(sessionID, epoch))) return
      await tx.forkSeeds.giveUp(sessionID)
      await closeLeftTurn(tx, sessionID, left, { ids: this.#ids, now: this.#clock() })
      tx.record({ kind: 'owner.changed', sessionID })
    })
  }

  /** Notes a process of the agent, so that whoever takes over from us can end it. */
  async recordAgent(sessionID: SessionID, epoch: number, pid: number): Promise<void> {
    const agent = { pid, started: startOf(pid) ?? '' }
    const ours = await this.#store.transaction((tx) => tx.owners.setAgent(sessionID, epoch, agent), 'relaxed')
    if (!ours) throw lost()
  }

  #leaseEnd(): number {
    return this.#clock() + this.#lease
  }

  /** Asks the owner of a session to stop its turn; resolves when it has ended, however that came about. */
  async askToAbort(sessionID: SessionID, signal?: AbortSignal): Promise<boolean> {
    if (!(await this.#store.turns.running(sessionID))) return false
    const turn = await this.#store.transaction(async (tx) => {
      // One that has ended meanwhile would not take the request along.
      const running = await tx.turns.running(sessionID)
      if (!running) return null
      const request = { ...this.#request(sessionID, 'abort'), turnID: running.id }
      await tx.requests.insert(request)
      tx.record({ kind: 'request.made', sessionID, subjectID: request.id })
      return running
    })
    if (!turn) return false
    const watched = new Overdue(this.#clock, this.#lease)
    while ((await this.#store.turns.get(turn.id))?.outcome === null) {
      const owner = await this.#store.owners.get(sessionID)
      signal?.throwIfAborted()
      if (!owner || watched.isGone(owner)) await this.#reclaim(sessionID, owner)
      else await nextChange(this.#store, signal)
    }
    return true
  }

  /**
   * Takes a session away from whoever holds it, and deletes it. An owner that reacts stops its turn itself: the agent's
   * process may serve other sessions too. Where that fails, the session is there for everybody as before.
   */
  async takeAway<T>(sessionID: SessionID, remove: () => Promise<T>): Promise<T> {
    const stop = this.#request(sessionID, 'abort')
    try {
      const owner = await this.#store.owners.get(sessionID)
      const isGiven = owner && livenessOf(owner.process) === 'alive' && (await this.#isGiven(stop))
      const left = isGiven ? null : await this.#store.owners.get(sessionID)
      if (left) await this.#reclaim(sessionID, left)
      return await remove()
    } catch (error) {
      await this.#store.transaction((tx) => tx.requests.remove(stop.id), 'relaxed')
      throw error
    }
  }

  async #isGiven(stop: OwnerRequest): Promise<boolean> {
    const { sessionID } = stop
    const inTime = AbortSignal.timeout(this.#lease)
    try {
      // Who waits for their turn there waits in vain.
      await this.#store.transaction(async (tx) => {
        for (const { id, kind } of await tx.requests.of(sessionID))
          if (kind === 'turn') await tx.requests.remove(id)
        await tx.requests.insert(stop)
        tx.record({ kind: 'request.made', sessionID, subjectID: stop.id })
      }, 'relaxed')
      await this.askToAbort(sessionID, inTime)
      await this.release(sessionID, await this.acquire(sessionID, inTime))
      return true
    } catch (error) {
      if (!inTime.aborted) throw error
      return false
    }
  }

  /**
   * Frees every session whose owner has died, or was of another boot and let its lease pass long ago, and closes the turn
   * that it left. One that cannot be freed now (a full disk, say) must not keep anybody from reading: it is tried again.
   */
  async reclaimAbandoned(): Promise<void> {
    for (const owner of await this.#store.owners.held()) {
      const liveness = livenessOf(owner.process)
      const forgotten = liveness === 'elsewhere' && owner.leaseUntil + this.#lease < this.#clock()
      if (liveness === 'gone' || forgotten) await this.#reclaim(owner.sessionID, owner).catch(() => {})
    }
  }

  async #waitInLine(request: OwnerRequest, signal: AbortSignal): Promise<number> {
    const { sessionID } = request
    const watched = new Overdue(this.#clock, this.#lease)
    let renewed = request.created
    for (;;) {
      signal.throwIfAborted()
      if (this.#clock() - renewed > this.#lease / 4) {
        renewed = this.#clock()
        await this.#store.transaction((tx) => tx.requests.renew(request.id, this.#leaseEnd()), 'relaxed')
      }
      const owner = await this.#store.owners.get(sessionID)
      if (owner && watched.isGone(owner)) await this.#reclaim(sessionID, owner)
      const epoch = await this.#takeWhenFirst(request)
      if (epoch !== null) return epoch
      await nextChange(this.#store, signal)
    }
  }

  // Looks before it takes the write lock: most of the time it is somebody else's turn.
  async #takeWhenFirst(request: OwnerRequest): Promise<number | null> {
    const { sessionID } = request
    await livingSession(this.#store, sessionID)
    await this.#stayInLine(request)
    if (await this.#store.owners.get(sessionID)) return null
    const gone = await this.#leftBehind(sessionID)
    return this.#store.transaction(async (tx) => {
      for (const each of gone) await tx.requests.remove(each.id)
      const now = this.#clock()
      const first = (await tx.requests.of(sessionID)).find(
        (each) => each.kind === 'turn' && (each.leaseUntil >= now || each.id === request.id),
      )
      if (first?.id !== request.id) return null
      const epoch = await this.#take(tx, sessionID, null)
      if (epoch !== null) await tx.requests.remove(request.id)
      return epoch
    }, 'relaxed')
  }

  // Who deletes a session sends everybody away. When that has failed they come back.
  async #stayInLine(request: OwnerRequest): Promise<void> {
    const { sessionID } = request
    const isOut = async ({ requests }: Pick<Reader, 'requests'>) =>
      !(await requests.of(sessionID)).some(({ id, kind, turnID }) => {
        const isDeletion = kind === 'abort' && turnID === null
        return id === request.id || isDeletion
      })
    if (!(await isOut(this.#store))) return
    await this.#store.transaction(async (tx) => {
      if (!(await isOut(tx))) return
      await tx.requests.insert({ ...request, created: this.#clock(), leaseUntil: this.#leaseEnd() })
      tx.record({ kind: 'request.made', sessionID, subjectID: request.id })
    }, 'relaxed')
  }

  /** What processes asked that are gone: nobody waits for it, and whoever holds the session must not heed it. */
  async #leftBehind(sessionID: SessionID): Promise<readonly OwnerRequest[]> {
    const requests = await this.#store.requests.of(sessionID)
    return requests.filter((each) => livenessOf(each.process) === 'gone')
  }

  // Fences first: from the moment the epoch has risen the old owner can write nothing, whatever it still does.
  async #reclaim(sessionID: SessionID, owner: Owner | null): Promise<void> {
    const take = (tx: Transaction) => this.#take(tx, sessionID, owner?.epoch ?? null)
    const epoch = await this.#store.transaction(take, 'relaxed')
    if (epoch === null) return
    if (owner?.agent) await endProcess(owner.agent)
    await this.release(sessionID, epoch)
  }

  async #take(tx: Transaction, sessionID: SessionID, fromEpoch: number | null): Promise<number | null> {
    const claim = { sessionID, process: this.#process, leaseUntil: this.#leaseEnd(), fromEpoch }
    const epoch = await tx.owners.take(claim)
    if (epoch !== null) tx.record({ kind: 'owner.changed', sessionID })
    return epoch
  }

  #request(sessionID: SessionID, kind: OwnerRequest['kind']): OwnerRequest {
    return {
      id: this.#ids.request(),
      sessionID,
      kind,
      turnID: null,
      process: this.#process,
      created: this.#clock(),
      leaseUntil: this.#leaseEnd(),
    }
  }
}

const abandoned: TurnEnd = { outcome: 'interrupted', reason: 'The process that ran this turn is gone.' }

export const lost = (): BoughError =>
  new BoughError(
    'ownership_lost',
    'Another process has taken this session over; nothing more was written here.',
  )

/**
 * Tells whether an owner is gone. A lease that has passed is not enough when the whole machine has slept: its owner, as
 * awake as we are, gets a moment to renew it.
 */
class Overdue {
  readonly #clock: Clock
  readonly #lease: number
  #seen: { readonly leaseUntil: number; readonly at: number } | null = null

  constructor(clock: Clock, lease: number) {
    this.#clock = clock
    this.#lease = lease
  }

  isGone(owner: Owner): boolean {
    if (livenessOf(owner.process) === 'gone') return true
    const now = this.#clock()
    if (owner.leaseUntil >= now) return false
    if (this.#seen?.leaseUntil !== owner.leaseUntil) this.#seen = { leaseUntil: owner.leaseUntil, at: now }
    return now - this.#seen.at >= this.#lease / 2
  }
}
