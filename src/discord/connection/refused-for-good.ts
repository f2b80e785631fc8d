import { DiscordAPIError, RESTJSONErrorCodes } from 'discord.js'

/** It would be the same the next time. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof DiscordAPIError && error.status >= 400 && error.status < 500

/** It is about the message: others are taken. */
export const isUnfit = (error: unknown): boolean =>
  error instanceof DiscordAPIError && aboutTheMessage.some((code) => code === error.code)

const aboutTheMessage: readonly RESTJSONErrorCodes[] = [
  RESTJSONErrorCodes.InvalidFormBodyOrContentType,
  RESTJSONErrorCodes.CannotSendAnEmptyMessage,
  RESTJSONErrorCodes.CannotEditMessageAuthoredByAnotherUser,
]
