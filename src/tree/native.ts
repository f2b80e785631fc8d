import type { SessionID } from './ids.ts'
import type { NewMessage } from './message.ts'

/** A message of an agent's own history, which has no place in the tree. `created` is in milliseconds; bough makes them whole. */
export type NativeMessage = Omit<NewMessage, 'id' | 'isCountedElsewhere'>

/** What opening a session again has brought to light. */
export interface Reopened {
  /** How many messages joined the session: they were said in the agent's own tool. */
  readonly added: number
  /** Where what was said after a rewind there is. */
  readonly branchID: SessionID | null
  /** The seed and what the agent said to it, as its own history has them: neither is in the tree. */
  readonly seed: readonly NativeMessage[]
  /** For a person: that the agent's own history of it cannot be read; null where it can, or there is none. */
  readonly missing: string | null
}

export const nothingNew: Reopened = { added: 0, branchID: null, seed: [], missing: null }

/** A session that an agent keeps by itself. */
export interface NativeSession {
  readonly nativeID: string
  /** As its own tool would list it. */
  readonly title: string
  readonly directory: string
  /** In milliseconds; bough makes them whole. */
  readonly created: number
  readonly updated: number
  /** Of its file, where it has one. */
  readonly bytes: number | null
  /** Where the tool has recorded it: which session it was forked from, and the last entry of that which it shares; in a list that may be null. */
  readonly forkedFrom: { readonly nativeID: string; readonly at: string | null } | null
}

/** The same as `bough import` lists it. */
export interface Adoptable extends Omit<NativeSession, 'forkedFrom'> {
  readonly agent: string
  /** The native session that it was forked from, where a list tells. */
  readonly forkOf: string | null
  /** The session that has adopted it already. */
  readonly sessionID: SessionID | null
}

/** What the agents keep for a directory, newest first. */
export interface AdoptableList {
  readonly sessions: readonly Adoptable[]
  /** For a person: which agents could not tell, and why. */
  readonly notices: readonly string[]
}

/** How a person goes on with a session in its agent's own tool. */
export interface OwnCommand {
  readonly command: readonly [program: string, ...args: string[]]
  readonly directory: string
}
