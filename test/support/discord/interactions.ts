import { randomUUID } from 'node:crypto'
import {
  type APIBaseInteraction,
  type APIUser,
  InteractionContextType,
  InteractionResponseType,
  InteractionType,
  Locale,
  MessageFlags,
  MessageType,
  RESTJSONErrorCodes,
} from 'discord-api-types/v10'
import { z } from 'zod'
import { ApiError, unknown } from './api-error.ts'
import type { Conversations, Dm } from './conversations.ts'
import { attachmentSizeLimit, type Upload } from './files.ts'
import { emptyParts, isLoading, type Message, newMessage, settableByInteraction } from './message.ts'
import { type MessageBody, messageBody } from './message-body.ts'

type Kind = InteractionType.ApplicationCommand | InteractionType.MessageComponent

export interface InteractionPayload extends Omit<APIBaseInteraction<Kind, object>, 'message'> {
  data: object
  channel_id: string
  user: APIUser
  message?: Message
}

const { ChannelMessageWithSource, DeferredChannelMessageWithSource, DeferredMessageUpdate, UpdateMessage } =
  InteractionResponseType
const { ApplicationCommandAutocompleteResult, Modal } = InteractionResponseType

export const callbackBody = z.discriminatedUnion('type', [
  z.object({ type: z.literal(ChannelMessageWithSource), data: messageBody }),
  z.object({ type: z.literal(DeferredChannelMessageWithSource), data: messageBody.optional() }),
  z.object({ type: z.literal(DeferredMessageUpdate), data: messageBody.optional() }),
  z.object({ type: z.literal(UpdateMessage), data: messageBody.optional() }),
  z.object({ type: z.literal([ApplicationCommandAutocompleteResult, Modal]), data: z.looseObject({}) }),
])
export type Callback = z.infer<typeof callbackBody>

/** What became of one command or click. */
export interface InteractionRecord {
  readonly id: string
  readonly token: string
  readonly at: number
  readonly payload: InteractionPayload
  callback: Callback | null
  callbackAt: number | null
  /** The answer, or the clicked message when that was what the answer changed. */
  originalID: string | null
  readonly followups: string[]
}

interface Surroundings {
  readonly bot: APIUser
  readonly nextID: () => string
  readonly now: () => number
  readonly conversations: Conversations
  /** How long an interaction may go without an acknowledgement. */
  readonly ackMs: number
  /** How long its token is good for more messages. */
  readonly tokenMs: number
}

export class Interactions {
  readonly records = new Map<string, InteractionRecord>()
  readonly #around: Surroundings

  constructor(around: Surroundings) {
    this.#around = around
  }

  begin(
    dm: Dm,
    user: APIUser,
    what: { readonly type: Kind; readonly data: object; readonly message?: Message },
    mutate: (payload: InteractionPayload) => void = () => {},
  ): InteractionRecord {
    const payload: InteractionPayload = {
      id: this.#around.nextID(),
      application_id: this.#around.bot.id,
      token: `token-${randomUUID()}`,
      version: 1,
      channel_id: dm.id,
      channel: dm,
      user,
      locale: Locale.EnglishUS,
      app_permissions: '2248473465835073',
      entitlements: [],
      authorizing_integration_owners: { 0: '0' },
      context: InteractionContextType.BotDM,
      attachment_size_limit: attachmentSizeLimit,
      ...what,
    }
    mutate(payload)
    const record: InteractionRecord = {
      id: payload.id,
      token: payload.token,
      at: this.#around.now(),
      payload,
      callback: null,
      callbackAt: null,
      originalID: null,
      followups: [],
    }
    this.records.set(record.token, record)
    return record
  }

  /** Takes the first answer; gives the message that it made or changed. */
  acknowledge(
    id: string,
    token: string,
    callback: Callback,
    uploads: readonly Upload[],
  ): Message | undefined {
    const record = this.records.get(token)
    if (record?.id !== id) throw unknown(RESTJSONErrorCodes.UnknownInteraction, 'interaction')
    if (record.callback)
      throw new ApiError(
        400,
        RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
        'Interaction has already been acknowledged.',
      )
    if (this.#around.now() - record.at > this.#around.ackMs)
      throw unknown(RESTJSONErrorCodes.UnknownInteraction, 'interaction')
    const message = this.#carryOut(record, callback, uploads)
    record.callback = callback
    record.callbackAt = this.#around.now()
    record.originalID = message?.id ?? null
    return message
  }

  /** A further message, or the one that was announced by a deferral. */
  followUp(token: string, body: MessageBody, uploads: readonly Upload[]): Message {
    const record = this.#live(token)
    const original = this.#around.conversations.find(record.payload.channel_id, record.originalID ?? '')
    if (original && isLoading(original)) return this.#around.conversations.edit(original, body, uploads)
    const message = this.#send(record, body, uploads)
    record.followups.push(message.id)
    return message
  }

  /** One of an interaction's own messages. */
  message(token: string, which: string): Message {
    const { payload, originalID, followups } = this.#live(token)
    const id = which === '@original' ? originalID : which
    if (id === null || (id !== originalID && !followups.includes(id)))
      throw unknown(RESTJSONErrorCodes.UnknownMessage, 'Message')
    return this.#around.conversations.message(payload.channel_id, id)
  }

  #live(token: string): InteractionRecord {
    const record = this.records.get(token)
    if (!record) throw unknown(RESTJSONErrorCodes.UnknownWebhook, 'Webhook')
    if (this.#around.now() - record.at > this.#around.tokenMs)
      throw new ApiError(401, RESTJSONErrorCodes.InvalidWebhookToken, 'Invalid Webhook Token')
    if (!record.callback) throw unknown(RESTJSONErrorCodes.UnknownWebhook, 'Webhook')
    return record
  }

  #carryOut(
    record: InteractionRecord,
    { type, data }: Callback,
    uploads: readonly Upload[],
  ): Message | undefined {
    switch (type) {
      case ChannelMessageWithSource:
        return this.#send(record, data, uploads)
      case DeferredChannelMessageWithSource:
        return this.#announce(record, data?.flags ?? 0)
      case DeferredMessageUpdate:
        return this.#clicked(record)
      case UpdateMessage:
        return this.#around.conversations.edit(this.#clicked(record), data ?? {}, uploads)
      default:
        return undefined
    }
  }

  #send(record: InteractionRecord, body: MessageBody, uploads: readonly Upload[]): Message {
    return this.#around.conversations.send({
      channelID: record.payload.channel_id,
      author: this.#around.bot,
      body,
      uploads,
      mayBeSet: settableByInteraction,
      more: this.#originOf(record),
    })
  }

  /** A message that says no more than that the bot is thinking. */
  #announce(record: InteractionRecord, wanted: number): Message {
    const { bot, nextID, now, conversations } = this.#around
    const origin = { id: nextID(), channelID: record.payload.channel_id, author: bot, at: now() }
    const flags = (wanted & MessageFlags.Ephemeral) | MessageFlags.Loading
    const message = { ...newMessage(origin, { ...emptyParts, flags }), ...this.#originOf(record) }
    conversations.add(message)
    return message
  }

  #clicked({ payload }: InteractionRecord): Message {
    return this.#around.conversations.message(payload.channel_id, payload.message?.id ?? '')
  }

  #originOf({ id, payload }: InteractionRecord): Partial<Message> {
    const { type, user, authorizing_integration_owners } = payload
    const origin = { id, user, authorizing_integration_owners }
    const { bot } = this.#around
    return {
      type: type === InteractionType.ApplicationCommand ? MessageType.ChatInputCommand : MessageType.Default,
      application_id: bot.id,
      webhook_id: bot.id,
      interaction_metadata:
        type === InteractionType.ApplicationCommand
          ? { ...origin, type }
          : { ...origin, type, interacted_message_id: payload.message?.id ?? '' },
    }
  }
}
