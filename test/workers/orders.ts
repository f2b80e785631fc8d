import type { MessageID, SessionID, TurnID } from '../../src/tree/ids.ts'
import type { TurnOutcome } from '../../src/tree/turn.ts'

/** What a test tells `host.ts` to do; `id` comes back with every report about it. */
export type Order = { readonly id: number } & (
  | { readonly do: 'open'; readonly data: string; readonly lease: number | null }
  | { readonly do: 'create'; readonly directory: string }
  | { readonly do: 'send'; readonly sessionID: SessionID; readonly text: string }
  | { readonly do: 'abort'; readonly sessionID: SessionID }
)

export type HostReport =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'opened'; readonly id: number }
  | { readonly kind: 'created'; readonly id: number; readonly sessionID: SessionID; readonly at: number }
  | { readonly kind: 'stored'; readonly id: number; readonly turnID: TurnID; readonly promptID: MessageID }
  | {
      readonly kind: 'ended'
      readonly id: number
      readonly outcome: TurnOutcome
      readonly reason: string | null
    }
  | { readonly kind: 'aborted'; readonly id: number; readonly any: boolean }
  | { readonly kind: 'refused'; readonly id: number; readonly message: string }
