import type { Config } from '../config.ts'
import { BoughError } from '../tree/error.ts'
import type { DiscordAccount } from './connection/connect.ts'
import { unknownToken } from './refusals.ts'

const discord = 'https://discord.com/api'

/** What the person has set for a bot before bough was started. */
export interface BotSettings {
  /** DISCORD_TOKEN, which the rest of the environment has no more. */
  readonly discordToken: string | undefined
  readonly env: NodeJS.ProcessEnv
}

/** The bot and its owner, from the environment or the config file; an error that says how to get what is missing. */
export function findAccount(settings: BotSettings, { discord: stored }: Config): DiscordAccount {
  const { token, ownerID } = given(settings, stored)
  if (token === null)
    throw new BoughError(
      'config_invalid',
      'There is no token for the Discord bot. Make a bot in the developer portal, then set DISCORD_TOKEN, or "bough config discord.token". The README says how, step by step.',
    )
  // It would not even get into a request, and that would look like the network's fault.
  if (!/^[\x21-\x7e]+$/.test(token)) throw unknownToken()
  if (ownerID === null)
    throw new BoughError(
      'config_invalid',
      'Nobody is set as the owner of the Discord bot. Set DISCORD_OWNER_ID, or "bough config discord.owner", to your id: in Discord, turn on Developer Mode, then right-click your name and copy it.',
    )
  if (!/^[0-9]{17,20}$/.test(ownerID))
    throw new BoughError(
      'config_invalid',
      `"${ownerID}" is no id at Discord: that is a number of 17 to 20 digits, not a name. In Discord, turn on Developer Mode, then right-click your name and copy it.`,
    )
  return { token, ownerID, api: apiOf(settings.env) }
}

function apiOf({ DISCORD_API_BASE: base }: NodeJS.ProcessEnv): string | null {
  if (!base) return null
  if (/^https?:$/.test(URL.parse(base)?.protocol ?? '')) return base
  throw new BoughError(
    'config_invalid',
    `DISCORD_API_BASE is "${base}", which is no web address. Set it to that of your proxy, such as http://127.0.0.1:8080/api, or not at all.`,
  )
}

/** Whether somebody has begun to set a bot up. */
export const isWanted = (settings: BotSettings, { discord: stored }: Config): boolean =>
  Object.values(given(settings, stored)).some((each) => each !== null)

/** Where Discord is asked, without a connection. */
export const endpoint = ({ api }: DiscordAccount, path: string): string => `${api ?? discord}/v10${path}`

const given = ({ discordToken, env }: BotSettings, stored: Config['discord']) => ({
  // What is copied, or read from a file, often ends with a new line.
  token: (discordToken || stored.token)?.trim() || null,
  ownerID: (env.DISCORD_OWNER_ID || stored.owner)?.trim() || null,
})
