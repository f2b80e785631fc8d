import {
  type Client,
  ComponentType,
  DiscordAPIError,
  type DMChannel,
  type Message,
  RESTJSONErrorCodes,
  Routes,
  SnowflakeUtil,
} from 'discord.js'
import type { Heard, Port, Recent } from '../port.ts'
import { heardFrom, isSaid } from './heard.ts'
import { insist } from './insist.ts'
import { leave } from './leave.ts'
import { payloadOf } from './payload.ts'
import { refusalOf } from './refusal-of.ts'
import { isRefusal, isUnfit } from './refused-for-good.ts'
import { spaced } from './spaced.ts'

/** The sign on messages that wait. */
const hourglass = '⏳'
const pageLength = 100
/** Milliseconds between two signs that Discord sets or takes: discord.js knows its limit only once it has met it. */
const betweenSigns = 250

/** The direct messages of the owner, through discord.js. */
export function conversation(client: Client<true>, dm: DMChannel, ownerID: string): Port {
  const reaction = (id: string) => Routes.channelMessageOwnReaction(dm.id, id, encodeURIComponent(hourglass))
  const inTurn = spaced(betweenSigns)
  return {
    async send(content, nonce) {
      const message = await dm.send({ ...payloadOf(content), nonce, enforceNonce: true })
      // One that was sent before, and only seemed lost, may say less.
      if (message.content.trim() !== (content.text ?? '').trim()) await message.edit(payloadOf(content))
      return message.id
    },
    async edit(id, content) {
      await unlessGone(dm.messages.edit(id, payloadOf(content)))
    },
    async remove(id) {
      await unlessGone(dm.messages.delete(id))
    },
    async typing() {
      await dm.sendTyping()
    },
    async mark(id) {
      await inTurn(() => client.rest.put(reaction(id)))
    },
    async unmark(id) {
      await unlessGone(inTurn(() => client.rest.delete(reaction(id))))
    },
    async *heardAfter(id): AsyncIterable<Heard> {
      for (let after = id; ; ) {
        const page = await dm.messages.fetch({ after, limit: pageLength, cache: false })
        const messages = [...page.values()].sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
        for (const message of messages)
          if (message.author.id === ownerID && isSaid(message)) yield heardFrom(message)
        const last = messages.at(-1)
        if (!last || messages.length < pageLength) return
        after = last.id
      }
    },
    async recent() {
      const page = await dm.messages.fetch({ limit: pageLength, cache: false }).catch((error) => {
        throw refusalOf(error, ownerID)
      })
      return [...page.values()].map(
        ({ id, author, content, components, reactions }): Recent => ({
          id,
          text: author.id === client.user.id ? content : '',
          buttons: author.id === client.user.id ? liveButtons(components) : [],
          isMarked: reactions.cache.get(hourglass)?.me ?? false,
        }),
      )
    },
    insist,
    isRefusal,
    isUnfit,
    idAt: (time) => SnowflakeUtil.generate({ timestamp: time, increment: 0n }).toString(),
    close: () => leave(client),
  }
}

async function unlessGone(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    const isGone = error instanceof DiscordAPIError && error.code === RESTJSONErrorCodes.UnknownMessage
    if (!isGone) throw error
  }
}

const liveButtons = (rows: Message['components']): readonly string[] =>
  rows
    .flatMap((row) => (row.type === ComponentType.ActionRow ? row.components : []))
    .flatMap((each) =>
      each.type === ComponentType.Button && !each.disabled && each.customId !== null ? [each.customId] : [],
    )
