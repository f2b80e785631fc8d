import type { RequestID, SessionID, TurnID } from './ids.ts'

/** One process for all time: a pid alone is used again. */
export interface ProcessIdentity {
  readonly pid: number
  /** When it started, as its operating system says it; only ever compared. */
  readonly started: string
  /** The running system that the pid belongs to (a boot, a container): elsewhere it means nothing. */
  readonly machine: string
}

/** Who holds a session's agent connection. */
export interface Owner {
  readonly sessionID: SessionID
  /** Rises by one whenever the session changes hands; every write of a turn is conditional on it. */
  readonly epoch: number
  readonly process: ProcessIdentity
  /** A live owner moves this on; one that let it pass may have lost the session. */
  readonly leaseUntil: number
  /** The agent's process, to be ended when its owner is gone. */
  readonly agent: { readonly pid: number; readonly started: string } | null
}

/** What one process asks of the owner of a session: its place in the queue for a turn, or that the running turn stops. */
export interface OwnerRequest {
  readonly id: RequestID
  readonly sessionID: SessionID
  readonly kind: 'turn' | 'abort'
  /** Which turn to stop; null for whatever keeps the owner busy before one. */
  readonly turnID: TurnID | null
  /** Who asks: a request of a process that is gone counts no more. */
  readonly process: ProcessIdentity
  readonly created: number
  /** Who waits moves this on; one that let it pass is suspended, and others go before it until it stirs. */
  readonly leaseUntil: number
}
