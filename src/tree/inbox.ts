import type { ChannelID, InboxID, InquiryID, MessageID, ScheduleID, SessionID, TurnID } from './ids.ts'
import type { ProcessIdentity } from './owner.ts'
import type { ExitAction } from './side-fork.ts'

// What comes into a channel is stored first, and then done one by one, in the order in which it came, by the process that it
// came to; by another when that one is gone:
//
//   waiting ──▶ running ──▶ done | failed
//      ▲           │
//      └───────────┘  its process died before the prompt was stored; after that it has failed, and is never done again

export type Incoming =
  /** The person said something, perhaps in reply to a message of the chat. */
  | {
      readonly kind: 'message'
      readonly text: string
      /** Its id in the chat: what has come in under it is not done again. Null where messages have none. */
      readonly externalID: string | null
      readonly replyTo: { readonly externalID: string; readonly text: string } | null
    }
  /** Somebody wants a fork: the person, or the agent in a turn of main. */
  | {
      readonly kind: 'fork'
      readonly topic: string | null
      /** Minutes; null for the usual. */
      readonly idleTimeout: number | null
      readonly turnID: TurnID | null
    }
  | {
      readonly kind: 'exit'
      readonly action: ExitAction
      readonly forkID: SessionID
      /** What is reported; null to ask the agent for a summary. */
      readonly text: string | null
    }
  /** `prompt` is what the button asks for, once the click is accepted. */
  | { readonly kind: 'click'; readonly inquiryID: InquiryID; readonly prompt: string | null }
  /** Nobody has said anything in a fork for long. */
  | { readonly kind: 'idle'; readonly forkID: SessionID }
  /** A schedule whose prompt goes to main. `due` is when it should have run, where that was long ago. */
  | {
      readonly kind: 'schedule'
      readonly scheduleID: ScheduleID
      readonly prompt: string
      readonly due: number | null
    }

/** Something that came into a channel. */
export interface InboxItem {
  readonly id: InboxID
  readonly channelID: ChannelID
  readonly what: Incoming
  /** It goes before what came earlier: what the turn that has just ended asked for. */
  readonly isUrgent: boolean
  /** It is for main, and waits while a fork is open. */
  readonly isForMain: boolean
  readonly state: 'waiting' | 'running' | 'done' | 'failed'
  /** Who does it. */
  readonly process: ProcessIdentity
  /** The fork that it has opened. */
  readonly forkID: SessionID | null
  /** The message that it became, once that is stored. */
  readonly messageID: MessageID | null
  /** For a person: why it failed. */
  readonly reason: string | null
  readonly created: number
}
