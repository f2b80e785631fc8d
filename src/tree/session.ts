import type { MessageID, SeedID, SessionID, WorkspaceID } from './ids.ts'
import type { SandboxMode } from './sandbox.ts'
import type { Cost } from './usage.ts'

/** How a session began. Being main is not a kind: it is a pointer of a channel. */
export type SessionKind = 'root' | 'branch' | 'interactive' | 'background'

/** `running` while a turn runs in it, in whichever process; `seeding` until it has been given the line before it. */
export type SessionState = 'idle' | 'running' | 'seeding'

/** A run of messages that begins at a fork point, or at nothing. */
export interface Session {
  readonly id: SessionID
  /** Whom the person forked. Provenance only: the line may go through another session. */
  readonly parentID: SessionID | null
  /** The message where its line begins; null where it begins at nothing. */
  readonly forkPoint: MessageID | null
  /** How it was given the line before it, when that was by a seed. */
  readonly forkSeedID: SeedID | null
  readonly title: string
  readonly agent: string
  readonly model: string | null
  readonly directory: string
  /** Null: the person's configuration decides. */
  readonly sandbox: SandboxMode | null
  /** The worktree that a fork made for itself, when it works in one. */
  readonly workspaceID: WorkspaceID | null
  readonly kind: SessionKind
  readonly state: SessionState
  readonly labels: readonly string[]
  readonly archived: boolean
  /** A tombstone: gone for everyone, kept only because others stand on its messages. */
  readonly deleted: boolean
  /** How many messages it has of its own. */
  readonly messages: number
  /** The agent's own session that this one is bound to, once it has one. */
  readonly nativeID: string | null
  readonly cost: Cost
  readonly created: number
  readonly updated: number
}

export interface NewSession {
  readonly id: SessionID
  readonly parentID: SessionID | null
  readonly forkPoint: MessageID | null
  readonly title: string
  /** Whether the person gave the title; one that bough made up is replaced by the first prompt. */
  readonly titled: boolean
  readonly agent: string
  readonly model: string | null
  readonly directory: string
  readonly sandbox?: SandboxMode | null
  readonly workspaceID?: WorkspaceID | null
  readonly kind: SessionKind
  readonly labels: readonly string[]
  readonly created: number
}

/** What may be changed in a session; everything else in the tree stays as it was written. */
export interface SessionChange {
  readonly title?: string
  /** From its next turn on. */
  readonly model?: string
  readonly labels?: readonly string[]
  readonly archived?: boolean
}
