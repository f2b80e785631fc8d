import type { Connection } from '../agents/driver.ts'
import type { Transaction } from '../store/store.ts'
import type { SessionID } from '../tree/ids.ts'
import type { Session } from '../tree/session.ts'
import type { TurnEnd } from '../tree/turn.ts'
import type { Ownership } from './ownership.ts'
import type { RunningTurn } from './running-turn.ts'

/**
 * A session that this process owns: its agent's connection stays open between turns.
 *
 *   busy ⇄ idle ──▶ leaving ──▶ gone
 *
 * It is busy from the moment a turn has been promised the session; leaving is tried again until the store has taken it.
 */
export class HeldSession {
  readonly sessionID: SessionID
  readonly epoch: number
  connection: Connection | null = null
  turn: RunningTurn | null = null
  /** Stops what is done before a turn begins. */
  preparing: AbortController | null = null
  /** How a turn ended whose end could not be stored: it is stored when the session is let go. */
  left: TurnEnd | null = null
  readonly #ownership: Ownership
  #state: 'busy' | 'idle' | 'leaving' = 'busy'
  /** How many messages the session had when the connection last saw them all. */
  #seen = 0
  /** What the connection was opened with. */
  #model: string | null = null
  #access = ''
  #idleTimer: NodeJS.Timeout | null = null
  #leaving: Promise<void> | null = null

  constructor(sessionID: SessionID, epoch: number, ownership: Ownership) {
    this.sessionID = sessionID
    this.epoch = epoch
    this.#ownership = ownership
  }

  /** Throws when the session has changed hands: every write in it begins with this. */
  readonly fence = (tx: Transaction): Promise<void> => this.#ownership.hold(tx, this.sessionID, this.epoch)

  get isBusy(): boolean {
    return this.#state === 'busy'
  }

  get isLeaving(): boolean {
    return this.#state === 'leaving'
  }

  /** Promises it to a turn; false when it is on its way out. */
  occupy(): boolean {
    if (this.#state === 'leaving') return false
    this.#state = 'busy'
    this.#stopTimer()
    return true
  }

  /** The turn is over and nobody else wants it: kept open for the next one, for a while. */
  rest(seen: number, idleAfter: number, onIdle: () => void): void {
    this.#seen = seen
    this.#state = 'idle'
    this.#idleTimer = setTimeout(onIdle, idleAfter).unref()
  }

  /**
   * A connection that has not seen the session's newest message is of no use, nor is one to another model, nor one that was
   * opened when something else of the project was approved.
   */
  async disconnectUnless(
    { messages, model }: Pick<Session, 'messages' | 'model'>,
    access: string,
  ): Promise<void> {
    const isUsable = this.#seen === messages && this.#model === model && this.#access === access
    if (this.connection && !isUsable) await this.disconnect()
    this.#model = model
    this.#access = access
  }

  async disconnect(): Promise<void> {
    const { connection } = this
    this.connection = null
    await connection?.close()
  }

  /** Ends the agent, does what is left to do, and gives the session back; when that fails, calling it again tries again. */
  leave(lastWork: () => Promise<void>): Promise<void> {
    this.#state = 'leaving'
    this.#stopTimer()
    this.#leaving ??= this.#giveBack(lastWork).finally(() => {
      this.#leaving = null
    })
    return this.#leaving
  }

  async #giveBack(lastWork: () => Promise<void>): Promise<void> {
    if (this.connection) {
      await this.disconnect()
      await lastWork()
    }
    await this.#ownership.release(this.sessionID, this.epoch, this.left ?? undefined)
  }

  #stopTimer(): void {
    if (this.#idleTimer) clearTimeout(this.#idleTimer)
    this.#idleTimer = null
  }
}
