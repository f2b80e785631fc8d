import type { MessageID } from './ids.ts'

/** How it stands around a session: its files in git, and how full its agent is. */
export interface SessionStatus {
  /** Null where its directory is in no repository, or is gone. */
  readonly git: GitStatus | null
  /** How many messages its line has. */
  readonly messages: number
  /** About how many tokens. */
  readonly tokens: number
  /** How many its agent can take; null for one without limits. */
  readonly window: number | null
}

export interface GitStatus {
  /** Null where none is checked out. */
  readonly branch: string | null
  /** How many files are not as in the last commit; null where git cannot tell. */
  readonly dirty: number | null
}

/** Of a fork that is not made yet: up to which message, and for which agent. */
export interface StatusQuery {
  readonly messageID?: MessageID
  /** Up to the message before it. */
  readonly before?: boolean
  readonly agent?: string
  readonly model?: string
}
