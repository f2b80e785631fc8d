import { type APIPartialEmoji, RESTJSONErrorCodes, ReactionType } from 'discord-api-types/v10'
import { ApiError } from './api-error.ts'
import type { GatewayEvent } from './gateway-events.ts'
import type { Message } from './message.ts'

export interface ReactionChange {
  readonly at: number
  readonly messageID: string
  readonly emoji: string
  readonly change: 'added' | 'removed'
}

/** The bot's own reactions: what came and went, and what stands at each message. */
export class Reactions {
  readonly changes: ReactionChange[] = []
  readonly #userID: string
  readonly #now: () => number
  readonly #tell: (event: GatewayEvent) => void

  constructor(userID: string, now: () => number, tell: (event: GatewayEvent) => void) {
    this.#userID = userID
    this.#now = now
    this.#tell = tell
  }

  add(message: Message, name: string): void {
    const emoji = emojiOf(name)
    const standing = message.reactions ?? []
    if (standing.some((one) => isSame(one.emoji, emoji))) return
    const plain = { count: 1, count_details: { burst: 0, normal: 1 }, me: true, me_burst: false }
    message.reactions = [...standing, { ...plain, emoji, burst_colors: [] }]
    this.#note(message, name, 'added')
    this.#tell({ t: 'MESSAGE_REACTION_ADD', d: this.#told(message, emoji) })
  }

  remove(message: Message, name: string): void {
    const emoji = emojiOf(name)
    const standing = message.reactions ?? []
    const left = standing.filter((one) => !isSame(one.emoji, emoji))
    if (left.length === standing.length) return
    message.reactions = left
    this.#note(message, name, 'removed')
    this.#tell({ t: 'MESSAGE_REACTION_REMOVE', d: this.#told(message, emoji) })
  }

  #note({ id }: Message, emoji: string, change: ReactionChange['change']): void {
    this.changes.push({ at: this.#now(), messageID: id, emoji, change })
  }

  #told({ id, channel_id }: Message, emoji: APIPartialEmoji) {
    const place = { user_id: this.#userID, channel_id, message_id: id }
    return { ...place, emoji, burst: false, burst_colors: [], type: ReactionType.Normal }
  }
}

const isSame = (one: APIPartialEmoji, other: APIPartialEmoji): boolean =>
  one.id === other.id && one.name === other.name

function emojiOf(name: string): APIPartialEmoji {
  const own = /^(\w+):(\d+)$/.exec(name)
  if (own) return { id: own[2] ?? null, name: own[1] ?? null }
  if (/\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u.test(name)) return { id: null, name }
  throw new ApiError(400, RESTJSONErrorCodes.UnknownEmoji, 'Unknown Emoji')
}
