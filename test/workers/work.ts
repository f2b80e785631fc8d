import type { MessageID, SessionID } from '../../src/tree/ids.ts'

/** What a test wants of `random-work.ts`. */
export interface Work {
  readonly seed: number
  /** Where its sessions work. */
  readonly directory: string
  /** How many things each lane does; null for as long as it lives. */
  readonly actions: number | null
  /** How many things it does at the same time. */
  readonly lanes: number
  /** Whether it works in the sessions of others too. */
  readonly anySession: boolean
  /** Sessions that it forks besides its own. */
  readonly forkFrom: readonly SessionID[]
  /** A session that others send to as well. */
  readonly talkTo: SessionID | null
  /** An instruction to run a command, if it shall. */
  readonly command: string | null
}

export type WorkReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'session'; readonly sessionID: SessionID; readonly forkPoint: MessageID | null }
  | { readonly kind: 'message'; readonly messageID: MessageID; readonly sessionID: SessionID }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'done' }

/** What `clock-death.ts` says when it came to its end alive. */
export interface DeathReport {
  readonly kind: 'survived'
  /** How often it read its clock. */
  readonly readings: number
}
