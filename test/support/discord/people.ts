import {
  type APIUser,
  ChannelType,
  ComponentType,
  InteractionType,
  MessageFlags,
  MessageReferenceType,
  MessageType,
} from 'discord-api-types/v10'
import { filledIn, type OptionValue } from './commands.ts'
import type { Dm } from './conversations.ts'
import type { Upload } from './files.ts'
import type { Guild } from './gateway-events.ts'
import type { InteractionPayload, InteractionRecord } from './interactions.ts'
import { emptyParts, isEphemeral, type Message, newMessage } from './message.ts'
import type { Service } from './service.ts'

// What people do in their client, which lets them do only what they can see.

/** A file that a person attaches. */
export interface UserFile {
  readonly filename: string
  readonly content: string | Uint8Array
  readonly contentType?: string
}

export interface SendOptions {
  readonly replyTo?: Message
  readonly forward?: Message
  readonly attachments?: readonly UserFile[]
  readonly omitChannelType?: boolean
  /** Another kind than a message that somebody writes: that they pinned one, say. */
  readonly type?: MessageType
}

/** Changes what the bot is told of an interaction. */
export type Mutate = (payload: InteractionPayload) => void

export function newUser({ nextID, conversations }: Service, username: string): APIUser {
  const id = nextID()
  const user = { id, username, discriminator: '0', global_name: username, avatar: null, bot: false }
  conversations.users.set(id, user)
  return user
}

export function sendAs(
  { conversations }: Service,
  dm: Dm,
  user: APIUser,
  content: string,
  { replyTo, forward, attachments = [], omitChannelType = false, type }: SendOptions,
): Message {
  return conversations.send({
    channelID: dm.id,
    author: user,
    body: { content },
    uploads: attachments.map(uploaded),
    more: {
      ...(replyTo && referring(replyTo)),
      ...(forward && forwarding(forward)),
      ...(type !== undefined && { type }),
    },
    omitChannelType,
  })
}

/** In a guild, where the bot did not ask to listen: it is told all the same. */
export function sendInGuildAs(
  { gateway, nextID, now }: Service,
  { id: guild_id }: Guild,
  author: APIUser,
  content: string,
): void {
  const origin = { id: nextID(), channelID: nextID(), author, at: now() }
  const message = newMessage(origin, { ...emptyParts, content })
  gateway.tell({ t: 'MESSAGE_CREATE', d: { ...message, guild_id, channel_type: ChannelType.GuildText } })
}

export function deleteAs({ conversations, bot }: Service, { channel_id, id }: Message): void {
  const message = conversations.message(channel_id, id)
  if (message.author.id === bot.id) throw new Error('A person cannot delete what the bot wrote.')
  conversations.remove(message)
}

export function runAs(
  service: Service,
  dm: Dm,
  user: APIUser,
  name: string,
  values: Readonly<Record<string, OptionValue>>,
  mutate?: Mutate,
): InteractionRecord {
  const data = filledIn(service.commands, name, values)
  return interact(service, dm, user, { type: InteractionType.ApplicationCommand, data }, mutate)
}

/** Finds the button by its custom id or by what stands on it. */
export function clickAs(
  service: Service,
  { channel_id, id }: Message,
  user: APIUser,
  button: string,
  mutate?: Mutate,
): InteractionRecord {
  const { conversations } = service
  const message = conversations.find(channel_id, id)
  if (!message) throw new Error('The message with that button is gone.')
  const buttons = message.components.flatMap(({ components = [] }) => components)
  const found = buttons.find(({ custom_id, label }) => custom_id === button || label === button)
  if (found?.custom_id === undefined)
    throw new Error(`There is no button ${button}, but ${buttons.map(({ custom_id }) => custom_id)}.`)
  if (found.disabled) throw new Error(`The button ${button} is disabled.`)
  return click(service, conversations.channel(channel_id), user, found.custom_id, message, mutate)
}

/** A click that no client would send. Without a message, it is said to be on one that the bot never wrote. */
export function forgeAs(
  service: Service,
  dm: Dm,
  user: APIUser,
  customID: string,
  message?: Message,
): InteractionRecord {
  const origin = { id: service.nextID(), channelID: dm.id, author: service.bot, at: service.now() }
  return click(service, dm, user, customID, message ?? newMessage(origin, emptyParts))
}

function click(
  service: Service,
  dm: Dm,
  user: APIUser,
  custom_id: string,
  message: Message,
  mutate?: Mutate,
): InteractionRecord {
  const data = { component_type: ComponentType.Button, custom_id }
  return interact(service, dm, user, { type: InteractionType.MessageComponent, data, message }, mutate)
}

function interact(
  { interactions, gateway }: Service,
  dm: Dm,
  user: APIUser,
  what: Parameters<typeof interactions.begin>[2],
  mutate?: Mutate,
): InteractionRecord {
  const record = interactions.begin(dm, user, what, mutate)
  gateway.tell({ t: 'INTERACTION_CREATE', d: record.payload })
  return record
}

const uploaded = ({ filename, content, contentType }: UserFile, index: number): Upload => ({
  key: String(index),
  filename,
  contentType: contentType ?? 'application/octet-stream',
  content: Buffer.from(content),
})

function referring(to: Message): Partial<Message> {
  if (isEphemeral(to)) throw new Error('Nobody can reply to a message that only they see.')
  return {
    type: MessageType.Reply,
    message_reference: {
      type: MessageReferenceType.Default,
      channel_id: to.channel_id,
      message_id: to.id,
    },
  }
}

function forwarding({
  id,
  channel_id,
  type,
  timestamp,
  content,
  embeds,
  attachments,
}: Message): Partial<Message> {
  const snapshot = { type, timestamp, content, embeds, attachments, flags: 0 }
  return {
    flags: MessageFlags.HasSnapshot,
    message_reference: { type: MessageReferenceType.Forward, channel_id, message_id: id },
    message_snapshots: [{ message: snapshot }],
  }
}
