import type { MessageID, SessionID } from './ids.ts'

/** Which sessions to list. */
export interface SessionQuery {
  readonly limit?: number
  /** Only sessions older than this one: the last of the page before. */
  readonly before?: SessionID
  readonly directory?: string
  readonly agent?: string
  readonly parentID?: SessionID
  readonly label?: string
  /** `running`: only those in which a turn runs. */
  readonly state?: 'running'
  /** Words in the title. */
  readonly q?: string
  readonly archived?: boolean
}

/** Which part of a line to read: the `limit` messages that end at its head, or before `before`. */
export interface Page {
  readonly limit?: number
  readonly before?: MessageID
}
