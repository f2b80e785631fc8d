import { BoughError } from '../tree/error.ts'

// What Discord refuses because of how the bot was set up, with what to do about it.

export const unknownToken = (cause?: unknown): BoughError =>
  new BoughError(
    'discord_refused',
    'Discord does not know this token. Copy it again from the developer portal (Bot, Reset Token) into DISCORD_TOKEN.',
    { cause },
  )

export const unknownOwner = (ownerID: string, cause?: unknown): BoughError =>
  new BoughError(
    'discord_refused',
    `Discord knows nobody with the id ${ownerID}. Copy your own id into DISCORD_OWNER_ID: in Discord, turn on Developer Mode, then right-click your name.`,
    { cause },
  )
