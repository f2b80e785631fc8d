import { type APIUser, RESTJSONErrorCodes } from 'discord-api-types/v10'
import { z } from 'zod'
import { ApiError, parsed } from './api-error.ts'
import { type Command, checkCommand, commandBody } from './commands.ts'
import { interactionRoutes } from './interaction-routes.ts'
import { messageRoutes } from './message-routes.ts'
import { type Handler, ok } from './route.ts'
import type { Service } from './service.ts'

export type RouteName = keyof ReturnType<typeof routesOf>

/** Each route by its name. */
export const routesOf = (service: Service) =>
  ({
    'GET /gateway': () => ok({ url: service.gatewayURL() }),
    'GET /gateway/bot': () => ok({ url: service.gatewayURL(), shards: 1, session_start_limit: startLimit }),
    'GET /users/@me': () => ok(service.bot),
    'GET /users/:id': (_, id: string) => ok(service.conversations.user(id)),
    'GET /applications/@me': () => ok(application(service.bot)),
    'GET /oauth2/applications/@me': () => ok(application(service.bot)),
    'POST /users/@me/channels': ({ body }) => {
      const { recipient_id } = parsed(z.object({ recipient_id: z.string() }), body)
      const user = service.conversations.users.get(recipient_id)
      if (!user) throw new ApiError(400, RESTJSONErrorCodes.InvalidRecipients, 'Invalid Recipient(s)')
      return ok(service.conversations.openDm(user))
    },
    'GET /applications/:id/commands': () => ok(service.commands),
    'PUT /applications/:id/commands': ({ body }) => {
      service.commands = parsed(z.array(z.unknown()), body).map((one) => registered(service, one))
      return ok(service.commands)
    },
    'POST /applications/:id/commands': ({ body }) => {
      const command = registered(service, body)
      service.commands = [...service.commands.filter(({ name }) => name !== command.name), command]
      return ok(command)
    },
    ...messageRoutes(service),
    ...interactionRoutes(service),
  }) satisfies Record<string, Handler>

function registered({ bot, nextID }: Service, body: unknown): Command {
  const command = parsed(commandBody, body)
  checkCommand(command)
  return { ...command, id: nextID(), application_id: bot.id, version: nextID() }
}

const startLimit = { total: 1000, remaining: 999, reset_after: 86_400_000, max_concurrency: 1 }

const application = (bot: APIUser) => ({
  id: bot.id,
  name: bot.username,
  icon: null,
  description: '',
  bot_public: false,
  bot_require_code_grant: false,
  verify_key: '0'.repeat(64),
  flags: 0,
  team: null,
  owner: bot,
  bot,
  integration_types_config: { 0: {}, 1: {} },
})
