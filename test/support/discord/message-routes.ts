import { MessageReferenceType, MessageType, RESTJSONErrorCodes } from 'discord-api-types/v10'
import { ApiError, invalidForm, parsed, tooLong, unknown } from './api-error.ts'
import { isEphemeral, type Message } from './message.ts'
import { type MessageBody, messageBody } from './message-body.ts'
import { type ApiRequest, done, type Handler, ok } from './route.ts'
import type { Service } from './service.ts'

/** What a bot does in a channel. Messages that only one person sees are not there. */
export const messageRoutes = (service: Service) =>
  ({
    'GET /channels/:id': (_, channel: string) => ok(service.conversations.channel(channel)),
    'POST /channels/:id/typing': (_, channel: string) => {
      showTyping(service, channel)
      return done
    },
    'GET /channels/:id/messages': ({ query }, channel: string) => {
      service.conversations.channel(channel)
      const messages = service.conversations.messages(channel).filter((one) => !isEphemeral(one))
      return ok(page(messages, query).map((one) => service.conversations.shown(one)))
    },
    'POST /channels/:id/messages': (request, channel: string) => ok(send(service, request, channel)),
    'GET /channels/:id/messages/:id': (_, channel: string, id: string) =>
      ok(service.conversations.shown(inChannel(service, channel, id))),
    'PATCH /channels/:id/messages/:id': ({ body, uploads }, channel: string, id: string) => {
      const message = inChannel(service, channel, id)
      if (message.author.id !== service.bot.id)
        throw new ApiError(
          403,
          RESTJSONErrorCodes.CannotEditMessageAuthoredByAnotherUser,
          'Cannot edit a message authored by another user',
        )
      service.conversations.edit(message, parsed(messageBody, body), uploads)
      return ok(service.conversations.shown(message))
    },
    'DELETE /channels/:id/messages/:id': (_, channel: string, id: string) => {
      const message = inChannel(service, channel, id)
      if (message.author.id !== service.bot.id)
        throw new ApiError(
          403,
          RESTJSONErrorCodes.CannotExecuteActionOnDMChannel,
          'Cannot execute action on a DM channel',
        )
      service.conversations.remove(message)
      return done
    },
    'PUT /channels/:id/messages/:id/reactions/:emoji/@me': (
      _,
      channel: string,
      id: string,
      emoji: string,
    ) => {
      service.reactions.add(inChannel(service, channel, id), emoji)
      return done
    },
    'DELETE /channels/:id/messages/:id/reactions/:emoji/@me': (
      _,
      channel: string,
      id: string,
      emoji: string,
    ) => {
      service.reactions.remove(inChannel(service, channel, id), emoji)
      return done
    },
  }) satisfies Record<string, Handler>

function showTyping({ conversations, bot, gateway, typing, now }: Service, channel: string): void {
  const { id } = conversations.channel(channel)
  typing.push({ channelID: id, at: now() })
  const timestamp = Math.floor(now() / 1000)
  gateway.tell({ t: 'TYPING_START', d: { channel_id: id, user_id: bot.id, timestamp } })
}

function inChannel({ conversations }: Service, channelID: string, id: string): Message {
  const message = conversations.message(channelID, id)
  if (isEphemeral(message)) throw unknown(RESTJSONErrorCodes.UnknownMessage, 'Message')
  return message
}

/** Newest first, also where a client asks for the oldest after some message. */
function page(messages: readonly Message[], query: URLSearchParams): Message[] {
  const limit = Number(query.get('limit') ?? 50)
  if (!(limit >= 1 && limit <= 100))
    throw invalidForm('limit', 'NUMBER_TYPE_MAX', 'int value should be between 1 and 100.')
  const after = idIn(query, 'after')
  const before = idIn(query, 'before')
  if (after !== null)
    return messages
      .filter(({ id }) => BigInt(id) > after)
      .slice(0, limit)
      .reverse()
  const older = before === null ? messages : messages.filter(({ id }) => BigInt(id) < before)
  return older.slice(-limit).reverse()
}

function idIn(query: URLSearchParams, name: string): bigint | null {
  const id = query.get(name)
  if (id === null) return null
  if (!/^\d+$/.test(id)) throw invalidForm(name, 'NUMBER_TYPE_COERCE', `Value "${id}" is not snowflake.`)
  return BigInt(id)
}

function send(service: Service, { body, uploads }: ApiRequest, channel: string) {
  const { bot, conversations, nonces } = service
  const channelID = conversations.channel(channel).id
  const sent = parsed(messageBody, body)
  const { nonce, enforce_nonce = false } = sent
  if (String(nonce ?? '').length > 25) throw tooLong('nonce', 25)
  const earlier = nonce !== undefined && enforce_nonce ? nonces.messageOf(bot.id, nonce) : undefined
  const again = earlier === undefined ? undefined : conversations.find(channelID, earlier)
  if (again) return conversations.shown(again, nonce)
  const more = replyIn(service, channelID, sent)
  const message = conversations.send({ channelID, author: bot, body: sent, uploads, more })
  if (nonce !== undefined) nonces.remember(bot.id, nonce, message.id)
  return conversations.shown(message, nonce)
}

function replyIn(
  { conversations }: Service,
  channel_id: string,
  { message_reference: reference }: MessageBody,
): Partial<Message> {
  if (!reference) return {}
  const { message_id, fail_if_not_exists = true } = reference
  const target = conversations.find(channel_id, message_id)
  if (target && !isEphemeral(target))
    return {
      type: MessageType.Reply,
      message_reference: { type: MessageReferenceType.Default, channel_id, message_id },
    }
  if (fail_if_not_exists) throw invalidForm('message_reference', 'REPLIES_UNKNOWN_MESSAGE', 'Unknown message')
  return {}
}
