import { InteractionResponseType } from 'discord-api-types/v10'
import { parsed } from './api-error.ts'
import { callbackBody } from './interactions.ts'
import { isEphemeral, isLoading, type Message } from './message.ts'
import { messageBody } from './message-body.ts'
import { done, type Handler, ok } from './route.ts'
import type { Service } from './service.ts'

/** How a bot answers commands and clicks. The token is in the address, so these need no other. */
export const interactionRoutes = ({ conversations, interactions }: Service) =>
  ({
    'POST /interactions/:id/:token/callback': ({ body, uploads, query }, id: string, token: string) => {
      const callback = parsed(callbackBody, body)
      const message = interactions.acknowledge(id, token, callback, uploads)
      if (query.get('with_response') !== 'true') return done
      const type = interactions.records.get(token)?.payload.type
      return ok({
        interaction: { id, type, ...(message && responseIn(message)) },
        ...(message &&
          callback.type !== InteractionResponseType.DeferredMessageUpdate && {
            resource: { type: callback.type, message: conversations.shown(message) },
          }),
      })
    },
    'POST /webhooks/:id/:token': ({ body, uploads }, _: string, token: string) =>
      ok(conversations.shown(interactions.followUp(token, parsed(messageBody, body), uploads))),
    'GET /webhooks/:id/:token/messages/:message': (_request, _: string, token: string, which: string) =>
      ok(conversations.shown(interactions.message(token, which))),
    'PATCH /webhooks/:id/:token/messages/:message': (
      { body, uploads },
      _: string,
      token: string,
      which: string,
    ) => {
      const message = interactions.message(token, which)
      conversations.edit(message, parsed(messageBody, body), uploads)
      return ok(conversations.shown(message))
    },
    'DELETE /webhooks/:id/:token/messages/:message': (_request, _: string, token: string, which: string) => {
      conversations.remove(interactions.message(token, which))
      return done
    },
  }) satisfies Record<string, Handler>

const responseIn = (message: Message) => ({
  response_message_id: message.id,
  response_message_loading: isLoading(message),
  response_message_ephemeral: isEphemeral(message),
})
