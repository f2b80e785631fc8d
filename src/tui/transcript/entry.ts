import type { InquiryID, MessageID, OutboxID, SessionID } from '../../tree/ids.ts'
import type { Message, Part, Role, ToolResultPart } from '../../tree/message.ts'
import type { Outgoing } from '../../tree/outgoing.ts'

/** One thing in a transcript. Each is replaced, never changed: what was drawn of it can be kept as long as it is the same. */
export type Entry = MessageEntry | DraftEntry | NoteEntry | CardEntry

/** A message of the tree. */
export interface MessageEntry {
  readonly kind: 'message'
  readonly key: MessageID
  readonly message: Message
  /** Its place among those that were loaded: the oldest of the first page has 0. See `Conversation.numberOf`. */
  readonly order: number
  /** What came of the tools that it calls, as far as that is known. */
  readonly results: readonly ToolResultPart[]
}

/** The message that streams. */
export interface DraftEntry {
  readonly kind: 'draft'
  readonly key: MessageID
  readonly role: Extract<Role, 'assistant' | 'tool'>
  readonly parts: readonly Part[]
  readonly results: readonly ToolResultPart[]
}

/** Something that bough tells here and now: it is not in the tree. */
export interface NoteEntry {
  readonly kind: 'note'
  readonly key: string
  readonly tone: 'dim' | 'warning' | 'bad' | 'fork'
  readonly text: string
}

/** Something that a fork has sent to the channel. */
export interface CardEntry {
  readonly kind: 'card'
  readonly key: OutboxID
  readonly what: Outgoing
  /** Who sent it. */
  readonly sessionID: SessionID
  /** How that is called; null for main. */
  readonly from: string | null
  /** Its place among the messages: what they are called after their prefix is in the order of time. */
  readonly at: string
  /** Buttons that were clicked here. */
  readonly used: readonly InquiryID[]
}

/** The person's messages and the agent's answers are stops; tool steps are once they are opened. */
export function isStop(entry: Entry, isOpened: boolean): entry is MessageEntry {
  if (entry.kind !== 'message') return false
  const { role, text } = entry.message
  if (role === 'user') return text.trim() !== ''
  return role === 'assistant' ? text.trim() !== '' || isOpened : role === 'tool' && isOpened
}

/** What a tool gave, or gives. */
export const isOfTool = (entry: Entry | undefined): boolean =>
  (entry?.kind === 'message' && entry.message.role === 'tool') ||
  (entry?.kind === 'draft' && entry.role === 'tool')
