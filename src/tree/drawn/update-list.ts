import { ageOf } from '../age.ts'
import { shortID } from '../ids.ts'
import { plainText } from '../plain-text.ts'
import type { Update } from '../update.ts'
import type { Paint } from './paint.ts'

/** What forks reported, each under who and when. */
export const drawUpdates = (
  updates: readonly Update[],
  { now, paint }: { readonly now: number; readonly paint: Paint },
): readonly string[] =>
  updates.flatMap(({ sessionID, text, created }) => [
    `${paint('bold', `fork ${shortID(sessionID)}`)} ${paint('dim', ageOf(created, now))}`,
    plainText(text).trimEnd(),
  ])
