import { BoughError } from '../tree/error.ts'

// Why the bot does not get in, with what to do about it.

export const unreachable = (cause?: unknown): BoughError =>
  new BoughError('discord_refused', 'Discord cannot be reached. Look at the network, then try again.', {
    cause,
  })

export const notDiscord = (cause?: unknown): BoughError =>
  new BoughError(
    'discord_refused',
    'What answers there is not Discord. Look at DISCORD_API_BASE, or at whatever stands between here and the network.',
    { cause },
  )

export const unknownToken = (cause?: unknown): BoughError =>
  new BoughError(
    'discord_refused',
    'Discord does not know this token. Copy it again from the developer portal (Bot, Reset Token) into DISCORD_TOKEN.',
    { cause },
  )

export const shutOut = (why: string): BoughError =>
  new BoughError(
    'discord_refused',
    `Discord has closed the connection for good (${why}). Look at the bot in the developer portal, then start "bough discord" again.`,
  )

export const unknownOwner = (ownerID: string, cause?: unknown): BoughError =>
  new BoughError(
    'discord_refused',
    `Discord knows nobody with the id ${ownerID}. Copy your own id into DISCORD_OWNER_ID: in Discord, turn on Developer Mode, then right-click your name.`,
    { cause },
  )
