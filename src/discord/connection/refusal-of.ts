import {
  DiscordAPIError,
  DiscordjsError,
  DiscordjsErrorCodes,
  GatewayCloseCodes,
  RESTJSONErrorCodes,
} from 'discord.js'
import { BoughError, messageOf } from '../../tree/error.ts'
import { shutOut, unknownOwner, unknownToken, unreachable } from '../refusals.ts'

/** Why the bot did not get in. */
export function refusalOf(error: unknown, ownerID: string): BoughError {
  const isToken =
    (error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid) ||
    (error instanceof DiscordAPIError && error.status === 401)
  if (isToken) return unknownToken(error)
  if (
    error instanceof DiscordAPIError &&
    (error.code === RESTJSONErrorCodes.UnknownUser || error.code === RESTJSONErrorCodes.InvalidRecipients)
  )
    return unknownOwner(ownerID, error)
  if (isOfNetwork(error)) return unreachable(error)
  return new BoughError(
    'discord_refused',
    `Discord does not let the bot in (${messageOf(error)}). Look at the network, or try again later.`,
    { cause: error },
  )
}

/** Why it does not get in again, by the code with which the gateway was closed. */
export const reasonOf = (code: number): BoughError =>
  code === GatewayCloseCodes.AuthenticationFailed
    ? unknownToken()
    : shutOut(`${code} ${GatewayCloseCodes[code] ?? ''}`.trim())

// ENOTFOUND, ECONNREFUSED and their like; not ERR_…, which are of Node itself.
const isOfNetwork = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  /^E(?!RR_)[A-Z]|^UND_ERR_(CONNECT_TIMEOUT|SOCKET)$/.test(String(error.code))
