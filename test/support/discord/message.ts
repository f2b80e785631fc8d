import {
  type APIAttachment,
  type APIMessage,
  type APIUser,
  MessageFlags,
  MessageType,
} from 'discord-api-types/v10'
import type { Component, Embed, MessageBody } from './message-body.ts'

/** What an edit can change, and what the limits are about. */
export interface MessageParts {
  content: string
  embeds: readonly Embed[]
  components: readonly Component[]
  attachments: readonly APIAttachment[]
  flags: number
}

/**
 * A message as the fake keeps it: without its nonce, which Discord gives back only to the one who sends, and
 * without the message that it refers to, which may be edited or deleted later.
 */
export interface Message
  extends Omit<APIMessage, keyof MessageParts | 'nonce' | 'referenced_message' | 'message_snapshots'>,
    MessageParts {
  message_snapshots?: {
    message: Omit<MessageParts, 'components'> & { timestamp: string; type: MessageType }
  }[]
}

export interface MessageOrigin {
  readonly id: string
  readonly channelID: string
  readonly author: APIUser
  readonly at: number
}

export function newMessage({ id, channelID, author, at }: MessageOrigin, parts: MessageParts): Message {
  return {
    id,
    channel_id: channelID,
    author,
    timestamp: new Date(at).toISOString(),
    edited_timestamp: null,
    tts: false,
    mention_everyone: false,
    mentions: [],
    mention_roles: [],
    pinned: false,
    type: MessageType.Default,
    ...parts,
  }
}

export const emptyParts: MessageParts = { content: '', embeds: [], components: [], attachments: [], flags: 0 }

/** Flags that whoever sends a message may set; others are passed over, as Discord does. */
export const settable = {
  sending: MessageFlags.SuppressEmbeds | MessageFlags.SuppressNotifications | MessageFlags.IsComponentsV2,
  editing: MessageFlags.SuppressEmbeds | MessageFlags.IsComponentsV2,
} as const
export const settableByInteraction = settable.sending | MessageFlags.Ephemeral

/** What a message is after an edit; a new one is an edit of nothing. */
export function changedParts(
  before: MessageParts,
  body: MessageBody,
  added: readonly APIAttachment[],
  mayBeSet: number,
): MessageParts {
  const { content, embeds, components, attachments, flags } = body
  const kept = before.attachments.filter(({ id }) => attachments?.some((one) => one.id === id) ?? true)
  return {
    content: content === undefined ? before.content : (content ?? ''),
    embeds: embeds === undefined ? before.embeds : (embeds ?? []).map((one) => ({ type: 'rich', ...one })),
    components: components === undefined ? before.components : numbered(components ?? []),
    attachments: [...kept, ...added],
    flags: (flags ?? null) === null ? before.flags : newFlags(before.flags, flags ?? 0, mayBeSet),
  }
}

const newFlags = (before: number, wanted: number, mayBeSet: number): number =>
  (before & ~MessageFlags.SuppressEmbeds) | (wanted & mayBeSet)

/** Discord numbers the components that have no number yet. */
function numbered(components: readonly Component[]): Component[] {
  let next = 1
  return components.map((outer) => ({
    ...outer,
    id: outer.id ?? next++,
    ...(outer.components && {
      components: outer.components.map((inner) => ({ ...inner, id: inner.id ?? next++ })),
    }),
  }))
}

export const isEphemeral = ({ flags }: Message): boolean => (flags & MessageFlags.Ephemeral) !== 0
export const isLoading = ({ flags }: Message): boolean => (flags & MessageFlags.Loading) !== 0
