import type { Pace } from '../../../src/discord/stream/stream-reply.ts'

/** How much faster than in life everything goes in most tests. */
export const factor = 1 / 40

export const fastPace: Pace = { edits: 1_100 * factor, looks: 5, typing: 8_000 * factor, patience: 400 }
