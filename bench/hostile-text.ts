import { hostilePieces, hostileText } from './hostile-texts.ts'
import type { Group, Row } from './row.ts'
import { textCleaners } from './text-cleaners.ts'

const megabyte = 2 ** 20

/** Those whose time grew with the square of the length, or does so elsewhere. */
const kinds = [
  ...['ESC ]', 'ESC P', 'ESC [', 'unfinished OSC', 'backticks', 'brackets', 'combining characters'],
  ...['open fences', 'spaces'],
]

/** While a step lasts nobody else is answered. The terminal UI takes longest, but draws only what is seen. */
const limit = 2_000

/** The slowest of what a text goes through, for each kind of text. */
export const cleaning: Group = {
  name: 'cleaning',
  title: 'One megabyte of hostile text: the slowest step it goes through',
  async measure() {
    return kinds.map((kind): Row => {
      const text = hostileText(hostilePieces[kind] ?? '', megabyte)
      const steps = Object.entries(textCleaners).map(([name, clean]) => ({
        name,
        measured: timeOf(clean, text),
      }))
      const slowest = steps.reduce((one, other) => (other.measured > one.measured ? other : one))
      return {
        kind: 'bound',
        what: `${kind} (${slowest.name})`,
        unit: 'ms',
        measured: slowest.measured,
        limit,
      }
    })
  },
}

function timeOf(clean: (text: string) => unknown, text: string): number {
  const before = performance.now()
  clean(text)
  return performance.now() - before
}
