import type { SeedID, SessionID, WorkspaceID } from './ids.ts'
import type { Usage } from './usage.ts'

// A seed goes: waiting ──▶ sending ──▶ sent
//                             └─────▶ failed ──▶ sending, with the next prompt

export type SeedState = 'waiting' | 'sending' | 'sent' | 'failed'

/** That a session was given the line before it as a prompt, and how that went. The text itself is never kept. */
export interface ForkSeed {
  readonly id: SeedID
  readonly sessionID: SessionID
  readonly agent: string
  readonly parentID: SessionID | null
  readonly parentWorkspaceID: WorkspaceID | null
  /** For a person: why it did not begin natively. */
  readonly why: string
  readonly sha256: string
  /** About. */
  readonly tokens: number
  /** Of the agent, in tokens; null for one without limits. */
  readonly window: number | null
  /** What had to be left out; null for nothing. */
  readonly leftOut: string | null
  readonly state: SeedState
  /** Whether the acknowledgement was kept from the person. */
  readonly hidden: boolean
  readonly usage: Usage | null
  readonly created: number
}

/** One that has yet to be built and sent. */
export const newSeed = (
  seed: Pick<ForkSeed, 'id' | 'sessionID' | 'agent' | 'parentID' | 'parentWorkspaceID' | 'why' | 'created'>,
): ForkSeed => ({
  ...seed,
  sha256: '',
  tokens: 0,
  window: null,
  leftOut: null,
  state: 'waiting',
  hidden: false,
  usage: null,
})

/** How a fork gets the conversation before it. */
export const contextModes = ['auto', 'native', 'seed'] as const

export type ContextMode = (typeof contextModes)[number]

/** What it comes to in the end. */
export type ForkContext =
  | { readonly kind: 'native'; readonly why: string }
  | {
      readonly kind: 'seed'
      /** For a person. */
      readonly why: string
      readonly tokens: number
      readonly window: number | null
      readonly leftOut: string | null
      /** For a person: that there is little room left, or none. */
      readonly warning: string | null
    }
