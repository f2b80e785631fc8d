import type { FilesDiff } from './file-change.ts'
import type { Message } from './message.ts'
import type { Session } from './session.ts'
import type { Usage } from './usage.ts'

/** Where two sessions part, and what each said and did after that. */
export interface Diff {
  /** The last message that both lines have; null when they share none. */
  readonly common: Message | null
  readonly a: DiffSide
  readonly b: DiffSide
  /** Where it was asked for: how their files differ, as they were captured last. */
  readonly files?: FilesDiff
}

export interface DiffSide {
  readonly session: Session
  /** Oldest first. */
  readonly tail: readonly Message[]
  /** Of the tail. */
  readonly usage: Usage
}
