import type { Aside } from '../subject.ts'

/**
 * A tool that forks sessions, as the benches measure it; bough is one of them. Each has a file of its own beside this one. None of
 * them has a way to the network. Whatever is made lies in the directory that is given, which is removed afterwards.
 */
export interface Peer {
  readonly name: string
  readonly version: string
  /** Nothing is fetched to find that out, nor to measure it. */
  installed(): boolean
  coldStart(directory: string): Promise<ColdStart>
  /** Opened, with a session of each of these lengths. A message is about a kilobyte. */
  fork(directory: string, sizes: readonly number[]): Promise<Forks>
  /** Why there are none, in a word or two; or how to find out what they cost. */
  readonly snapshots: string | ((directory: string, project: string) => Promise<Snapshots>)
}

export type Work = (aside: Aside) => Promise<unknown>

export interface ColdStart {
  /** `--version`, to its end. */
  readonly version: Work
  /** Until whatever takes in requests has answered the first. */
  readonly ready: Work
}

export interface Forks {
  /** Forks the session that has so many messages, at its head. */
  fork(messages: number): Promise<unknown>
  /** Bytes of all that it keeps of sessions; asked before and after forks, it tells what one takes. */
  size(): Promise<number>
  close(): Promise<void>
}

/** A turn in which one file of the project changes. */
export interface Snapshots {
  readonly turn: Work
  /** The same turn without snapshots; where there is none, what `turn` takes is the cost already. */
  readonly without: Work | null
  close(): Promise<void>
}
