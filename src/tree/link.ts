import type { ChannelID, InquiryID, SessionID, TurnID } from './ids.ts'

/** A message in a chat, and the fork that sent it. After a while only that there was one is known. */
export interface Link {
  readonly channelID: ChannelID
  /** The message's id there. */
  readonly externalID: string
  /** Null once it is too old. */
  readonly sessionID: SessionID | null
  readonly created: number
}

/** A message in a chat that shows a turn, or a part of it. */
export interface Shown {
  readonly channelID: ChannelID
  readonly externalID: string
  readonly turnID: TurnID
  readonly created: number
}

/** What a button that an agent sent asks for when it is clicked. */
export interface Inquiry {
  readonly id: InquiryID
  readonly channelID: ChannelID
  /** The fork whose agent sent it; null for main's. */
  readonly sessionID: SessionID | null
  readonly label: string
  /** Null once it is too old. */
  readonly prompt: string | null
  readonly used: number | null
  readonly created: number
}

/** Milliseconds that links and inquiries are good for. */
export const linksLast = 7 * 24 * 60 * 60_000
