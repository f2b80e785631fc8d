import {
  type APIUser,
  ChannelType,
  type GatewayDispatchEvents,
  GatewayIntentBits,
  type GatewayMessageDeleteDispatchData,
  type GatewayMessageReactionAddDispatchData,
  type GatewayReadyDispatchData,
  type GatewayTypingStartDispatchData,
} from 'discord-api-types/v10'
import type { InteractionPayload } from './interactions.ts'
import type { Message } from './message.ts'

export interface Guild {
  readonly id: string
  readonly name: string
}

/** A message as clients are told of it. */
export interface ShownMessage extends Message {
  readonly referenced_message?: Message | null
  readonly nonce?: string | number
  readonly channel_type?: ChannelType.DM | ChannelType.GuildText
  readonly guild_id?: string
}

interface EventData {
  READY: GatewayReadyDispatchData
  RESUMED: object
  GUILD_CREATE: object
  MESSAGE_CREATE: ShownMessage
  MESSAGE_UPDATE: ShownMessage
  MESSAGE_DELETE: GatewayMessageDeleteDispatchData
  MESSAGE_REACTION_ADD: GatewayMessageReactionAddDispatchData
  MESSAGE_REACTION_REMOVE: Omit<GatewayMessageReactionAddDispatchData, 'member' | 'message_author_id'>
  TYPING_START: GatewayTypingStartDispatchData
  INTERACTION_CREATE: InteractionPayload
}

export type EventName = keyof EventData & `${GatewayDispatchEvents}`
export type GatewayEvent = {
  [Name in EventName]: { readonly t: Name; readonly d: EventData[Name] }
}[EventName]

/** Without one of these bits a client is not told; interactions need none. */
export const intentFor: { readonly [Name in EventName]?: GatewayIntentBits } = {
  GUILD_CREATE: GatewayIntentBits.Guilds,
  MESSAGE_CREATE: GatewayIntentBits.DirectMessages,
  MESSAGE_UPDATE: GatewayIntentBits.DirectMessages,
  MESSAGE_DELETE: GatewayIntentBits.DirectMessages,
  MESSAGE_REACTION_ADD: GatewayIntentBits.DirectMessageReactions,
  MESSAGE_REACTION_REMOVE: GatewayIntentBits.DirectMessageReactions,
  TYPING_START: GatewayIntentBits.DirectMessageTyping,
}

/** Intents that have to be switched on for the bot first. */
export const privilegedIntents =
  GatewayIntentBits.GuildMembers | GatewayIntentBits.GuildPresences | GatewayIntentBits.MessageContent

export const inDm = (message: ShownMessage): ShownMessage => ({ ...message, channel_type: ChannelType.DM })

export function guildCreate({ id, name }: Guild, owner: APIUser): GatewayEvent {
  const everyone = { id, name: '@everyone', color: 0, hoist: false, position: 0, permissions: '0' }
  return {
    t: 'GUILD_CREATE',
    d: {
      id,
      name,
      icon: null,
      owner_id: owner.id,
      roles: [{ ...everyone, managed: false, mentionable: false, flags: 0 }],
      unavailable: false,
      member_count: 1,
      preferred_locale: 'en-US',
      ...Object.fromEntries(emptyLists.map((list) => [list, []])),
    },
  }
}

const emptyLists = [
  'emojis',
  'features',
  'stickers',
  'voice_states',
  'members',
  'channels',
  'threads',
  'presences',
  'stage_instances',
  'guild_scheduled_events',
  'soundboard_sounds',
]
