import type { ChannelID, InquiryID, OutboxID, SessionID, TurnID } from './ids.ts'
import type { ProcessIdentity } from './owner.ts'
import type { ForkChanges, ForkOutcome } from './side-fork.ts'

// What a fork, or bough, wants shown in a channel is stored first, and then shown once, by whichever process shows that
// channel:
//
//   waiting ──▶ sending ──▶ sent, and linked to the fork that sent it
//      ▲           │
//      └───────────┘  its process died: it is sent again, under the same id, so that a chat can tell

export type Outgoing =
  /** Words of the agent. */
  | {
      readonly kind: 'message'
      readonly text: string
      /** The turn whose reply it is, and the messages of the chat that show a part of it already, in their order. */
      readonly reply?: { readonly turnID: TurnID; readonly shown: readonly string[] }
    }
  /** A card of the agent's, with buttons that ask it for something. */
  | {
      readonly kind: 'embed'
      readonly title: string
      readonly body: string
      readonly buttons: readonly { readonly label: string; readonly inquiryID: InquiryID }[]
    }
  /** The banner of an interactive fork: its topic, and three buttons while it is open. */
  | { readonly kind: 'entered'; readonly topic: string | null; readonly isOpen: boolean }
  /** The banner of its end. */
  | {
      readonly kind: 'ended'
      readonly outcome: ForkOutcome
      readonly words: string
      /** What its turns changed, which stays until somebody puts it back; absent for nothing. */
      readonly files?: ForkChanges
    }
  /** Something bough tells the person. */
  | { readonly kind: 'notice'; readonly text: string }

/** Something that is to be shown in a channel. */
export interface OutboxItem {
  readonly id: OutboxID
  readonly channelID: ChannelID
  /** Who sends it: a fork, or main. */
  readonly sessionID: SessionID
  readonly what: Outgoing
  readonly state: 'waiting' | 'sending' | 'sent'
  /** Who shows it, while that goes on. */
  readonly process: ProcessIdentity | null
  /** Its id in the chat, once it is there and has one. */
  readonly externalID: string | null
  readonly created: number
}
