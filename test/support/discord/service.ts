import type { APIUser } from 'discord-api-types/v10'
import type { Command } from './commands.ts'
import { Conversations } from './conversations.ts'
import { Files } from './files.ts'
import { Gateway } from './gateway.ts'
import { type Guild, privilegedIntents } from './gateway-events.ts'
import { Interactions } from './interactions.ts'
import { Nonces } from './nonces.ts'
import { Reactions } from './reactions.ts'
import { snowflakes } from './snowflakes.ts'

export interface ServiceOptions {
  readonly token?: string
  readonly now?: () => number
  readonly heartbeatIntervalMs?: number
  readonly interactionAckMs?: number
  readonly interactionTokenMs?: number
  readonly nonceMs?: number
  /** What was switched on for the bot in the developer portal. */
  readonly allowedPrivilegedIntents?: number
  /** With guilds, discord.js is ready only when it has been told of all of them. */
  readonly guilds?: readonly Guild[]
  readonly compression?: boolean
}

/** All that there is behind REST and gateway. */
export interface Service {
  readonly bot: APIUser
  readonly token: string
  readonly now: () => number
  readonly nextID: () => string
  readonly gatewayURL: () => string
  readonly gateway: Gateway
  readonly files: Files
  readonly conversations: Conversations
  readonly interactions: Interactions
  readonly reactions: Reactions
  readonly nonces: Nonces
  readonly typing: { readonly channelID: string; readonly at: number }[]
  commands: Command[]
}

export function newService(options: ServiceOptions, port: () => number): Service {
  const { now = Date.now, token = likeAToken } = options
  const nextID = snowflakes(now)
  const gatewayURL = () => `ws://127.0.0.1:${port()}`
  const gateway = new Gateway({
    token,
    bot,
    guilds: options.guilds ?? [],
    heartbeatIntervalMs: options.heartbeatIntervalMs ?? 41_250,
    allowedPrivilegedIntents: options.allowedPrivilegedIntents ?? privilegedIntents,
    compression: options.compression ?? true,
    url: gatewayURL,
    now,
  })
  const tell = gateway.tell.bind(gateway)
  const files = new Files(nextID, () => `http://127.0.0.1:${port()}`)
  const conversations = new Conversations({ nextID, now, tell, files })
  conversations.users.set(bot.id, bot)
  const interactions = new Interactions({
    bot,
    nextID,
    now,
    conversations,
    ackMs: options.interactionAckMs ?? 3000,
    tokenMs: options.interactionTokenMs ?? 15 * 60_000,
  })
  const reactions = new Reactions(bot.id, now, tell)
  const nonces = new Nonces(now, options.nonceMs ?? 3 * 60_000)
  const parts = { gateway, files, conversations, interactions, reactions, nonces }
  return { bot, token, now, nextID, gatewayURL, ...parts, typing: [], commands: [] }
}

const bot: APIUser = {
  id: '1100000000000000001',
  username: 'fakebot',
  discriminator: '0000',
  global_name: null,
  avatar: null,
  bot: true,
}

const likeAToken = `${Buffer.from(bot.id).toString('base64url')}.GfAkEt.${'x'.repeat(38)}`
