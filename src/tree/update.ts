import type { ChannelID, MessageID, SessionID, UpdateID } from './ids.ts'

/** Something that a fork reported. It waits until a message of main carries it. */
export interface Update {
  readonly id: UpdateID
  readonly channelID: ChannelID
  /** The fork that reported it. */
  readonly sessionID: SessionID
  readonly text: string
  /** How many messages that fork had when it said so: what stands on more of them knows it. */
  readonly afterSeq: number
  /** The person's message in main that carries it; null while it waits. */
  readonly messageID: MessageID | null
  readonly created: number
}

/** Which of those that wait to forget. */
export interface UpdateQuery {
  readonly channelID?: ChannelID
  /** None that came after this one. */
  readonly upTo?: UpdateID
}
