import {
  type APIDMChannel,
  type APIUser,
  ChannelType,
  MessageFlags,
  MessageReferenceType,
  RESTJSONErrorCodes,
} from 'discord-api-types/v10'
import { unknown } from './api-error.ts'
import type { Files, SentFile, Upload } from './files.ts'
import { type GatewayEvent, inDm, type ShownMessage } from './gateway-events.ts'
import { changedParts, emptyParts, isEphemeral, type Message, newMessage, settable } from './message.ts'
import type { MessageBody } from './message-body.ts'
import { checkLimits } from './message-limits.ts'

export interface Dm extends APIDMChannel {
  readonly recipients: [APIUser]
}

/** What a message was at some time, so that a test can follow a stream of edits. */
export interface Version {
  readonly at: number
  readonly kind: 'create' | 'edit' | 'delete'
  readonly message: Message
}

export interface Draft {
  readonly channelID: string
  readonly author: APIUser
  readonly body: MessageBody
  readonly uploads?: readonly Upload[]
  /** Flags that the author may set. */
  readonly mayBeSet?: number
  /** What a message has besides that does not come from its author's words. */
  readonly more?: Partial<Message>
  /** Without it a client does not learn what kind of channel it is. */
  readonly omitChannelType?: boolean
}

interface Surroundings {
  readonly nextID: () => string
  readonly now: () => number
  readonly tell: (event: GatewayEvent) => void
  readonly files: Files
}

/** Users, their direct messages with the bot, and what is said there. */
export class Conversations {
  readonly users = new Map<string, APIUser>()
  readonly channels = new Map<string, Dm>()
  readonly history: Version[] = []
  readonly #messages = new Map<string, Map<string, Message>>()
  readonly #around: Surroundings

  constructor(around: Surroundings) {
    this.#around = around
  }

  user(id: string): APIUser {
    const user = this.users.get(id)
    if (!user) throw unknown(RESTJSONErrorCodes.UnknownUser, 'User')
    return user
  }

  openDm(user: APIUser): Dm {
    const known = [...this.channels.values()].find(({ recipients }) => recipients[0].id === user.id)
    if (known) return known
    const id = this.#around.nextID()
    const dm: Dm = { id, type: ChannelType.DM, name: null, last_message_id: null, recipients: [user] }
    this.channels.set(id, dm)
    this.#messages.set(id, new Map())
    return dm
  }

  channel(id: string): Dm {
    const channel = this.channels.get(id)
    if (!channel) throw unknown(RESTJSONErrorCodes.UnknownChannel, 'Channel')
    return channel
  }

  /** All messages, also those that only one person sees. */
  messages(channelID: string): Message[] {
    return [...(this.#messages.get(channelID)?.values() ?? [])]
  }

  find(channelID: string, id: string): Message | undefined {
    return this.#messages.get(channelID)?.get(id)
  }

  message(channelID: string, id: string): Message {
    this.channel(channelID)
    const message = this.find(channelID, id)
    if (!message) throw unknown(RESTJSONErrorCodes.UnknownMessage, 'Message')
    return message
  }

  send(draft: Draft): Message {
    const { channelID, author, body, uploads = [], mayBeSet = settable.sending, more } = draft
    const origin = { id: this.#around.nextID(), channelID, author, at: this.#around.now() }
    const files = this.#around.files.prepare(uploads, origin, body.attachments)
    const parts = changedParts(emptyParts, body, attachmentsOf(files), mayBeSet)
    // A person's own client sees to it that they keep to theirs.
    if (author.bot) checkLimits(parts)
    const message = { ...newMessage(origin, parts), ...more }
    this.#around.files.keep(files)
    this.add(message, draft)
    return message
  }

  add(message: Message, { body, omitChannelType = false }: Partial<Draft> = {}): void {
    this.#messages.get(message.channel_id)?.set(message.id, message)
    this.channel(message.channel_id).last_message_id = message.id
    this.#note('create', message)
    if (isEphemeral(message)) return
    const d = this.shown(message, body?.nonce)
    this.#around.tell({ t: 'MESSAGE_CREATE', d: omitChannelType ? d : inDm(d) })
  }

  edit(message: Message, body: MessageBody, uploads: readonly Upload[] = []): Message {
    const { id, channel_id: channelID, flags } = message
    const files = this.#around.files.prepare(uploads, { id, channelID }, body.attachments)
    const before = { ...message, flags: flags & ~MessageFlags.Loading }
    const parts = changedParts(before, body, attachmentsOf(files), settable.editing)
    checkLimits(parts)
    this.#around.files.keep(files)
    Object.assign(message, parts, { edited_timestamp: new Date(this.#around.now()).toISOString() })
    this.#note('edit', message)
    if (!isEphemeral(message)) this.#around.tell({ t: 'MESSAGE_UPDATE', d: inDm(this.shown(message)) })
    return message
  }

  remove(message: Message): void {
    const { id, channel_id } = message
    this.#messages.get(channel_id)?.delete(id)
    this.#note('delete', message)
    if (!isEphemeral(message)) this.#around.tell({ t: 'MESSAGE_DELETE', d: { id, channel_id } })
  }

  /** A reply comes with the message that it refers to, or null when that is gone. */
  shown(message: Message, nonce?: string | number): ShownMessage {
    const { message_reference: reference, channel_id } = message
    const isReply = reference?.type === MessageReferenceType.Default
    return {
      ...message,
      ...(nonce !== undefined && { nonce }),
      ...(isReply && { referenced_message: this.find(channel_id, reference.message_id ?? '') ?? null }),
    }
  }

  #note(kind: Version['kind'], message: Message): void {
    this.history.push({ at: this.#around.now(), kind, message: structuredClone(message) })
  }
}

const attachmentsOf = (files: readonly SentFile[]) => files.map(({ attachment }) => attachment)
