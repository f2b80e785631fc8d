import * as z from 'zod/mini'
import { BoughError } from '../tree/error.ts'
import { endpoint } from './account.ts'
import type { DiscordAccount } from './connection/connect.ts'
import { notDiscord, unknownOwner, unknownToken, unreachable } from './refusals.ts'

const answersWithin = 10_000
const named = z.object({ id: z.string(), username: z.string() })
const application = z.object({ id: z.string(), name: z.string() })

/** What the bot is called. Rejects with what to do when Discord does not know it. */
export const botName = async (account: DiscordAccount): Promise<string> =>
  (await ask(account, '/users/@me', named)).username

/** The name of the owner. */
export const ownerName = async (account: DiscordAccount): Promise<string> =>
  (await ask(account, `/users/${account.ownerID}`, named, unknownOwner(account.ownerID))).username

/** A link by which the owner adds the bot to a server of theirs, or to themselves: then they can write to it. */
export async function inviteLink(account: DiscordAccount): Promise<string> {
  const { id } = await ask(account, '/applications/@me', application)
  const query = new URLSearchParams({ client_id: id, scope: 'bot applications.commands', permissions: '0' })
  return `https://discord.com/oauth2/authorize?${query}`
}

/** `unknown` is what it means that there is no such thing: Discord itself has the others. */
async function ask<T>(
  account: DiscordAccount,
  path: string,
  answers: z.ZodMiniType<T>,
  unknown = notDiscord(),
): Promise<T> {
  const answer = await fetch(endpoint(account, path), {
    headers: { authorization: `Bot ${account.token}` },
    signal: AbortSignal.timeout(answersWithin),
  }).catch(away)
  if (answer.status === 401) throw unknownToken()
  if (answer.status === 404) throw unknown
  if (!answer.ok)
    throw new BoughError('discord_refused', `Discord answered ${answer.status}. Try again later.`)
  const text = await answer.text().catch(away)
  try {
    return answers.parse(JSON.parse(text))
  } catch (cause) {
    throw notDiscord(cause)
  }
}

const away = (cause: unknown): never => {
  throw unreachable(cause)
}
