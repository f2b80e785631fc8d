import { ageOf } from '../../tree/age.ts'
import { shortID } from '../../tree/ids.ts'
import { plainText } from '../../tree/plain-text.ts'
import type { Update } from '../../tree/update.ts'
import type { Paint } from '../output.ts'

/** What forks reported, each under who and when. */
export const drawUpdates = (
  updates: readonly Update[],
  { now, paint }: { readonly now: number; readonly paint: Paint },
): readonly string[] =>
  updates.flatMap(({ sessionID, text, created }) => [
    `${paint('bold', `fork ${shortID(sessionID)}`)} ${paint('dim', ageOf(created, now))}`,
    plainText(text).trimEnd(),
  ])
