import { ageOf } from '../age.ts'
import { shortID } from '../ids.ts'
import { plainLine } from '../plain-text.ts'
import type { SideFork } from '../side-fork.ts'
import { cellsOf, cutToCells, padToCells } from './cells.ts'
import { forkWords } from './fork-words.ts'
import type { Paint } from './paint.ts'

export interface ForkListOptions {
  readonly now: number
  /** Lines are cut to it; null cuts nothing. */
  readonly columns: number | null
  readonly paint: Paint
}

const smallestAbout = 16

/** Forks that come back, one line each: which, how it goes, since when, and what it is about. */
export function drawForks(
  forks: readonly SideFork[],
  { now, columns, paint }: ForkListOptions,
): readonly string[] {
  const rows = forks.map((fork) => ({
    fork,
    id: shortID(fork.sessionID),
    state: forkWords(fork),
    age: ageOf(fork.ended ?? fork.began ?? fork.started, now),
    about: plainLine(fork.topic ?? fork.prompt ?? 'open session'),
  }))
  const widest = (of: 'state' | 'age'): number => Math.max(...rows.map((row) => cellsOf(row[of])))
  const room = columns === null ? Infinity : columns
  const fixed = 6 + 2 + widest('age') + 2
  const stateCells = Math.min(widest('state'), Math.max(smallestAbout, room - fixed - smallestAbout - 2))
  return rows.map(({ fork, id, state, age, about }) => {
    const shown = padToCells(cutToCells(state, stateCells), stateCells)
    return [
      paint('cyan', id),
      fork.state === 'open' ? paint('yellow', shown) : shown,
      paint('dim', padToCells(age, widest('age'))),
      cutToCells(about, room - fixed - stateCells - 2),
    ].join('  ')
  })
}
