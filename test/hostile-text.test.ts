import { expect, test } from 'vitest'
import { hostilePieces, hostileText } from '../bench/hostile-texts.ts'
import { textCleaners } from '../bench/text-cleaners.ts'

const small = 4_000
const times = 16

/** Milliseconds of this process's own work: what else the machine does counts little. */
function workFor(clean: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage()
  clean(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

// In proportion it takes 16 times as long, by the square 256 times. What takes next to nothing is not compared.
function takesTooLong(clean: (text: string) => unknown, piece: string): boolean {
  const tries = [1, 2, 3]
  const large = hostileText(piece, small * times)
  for (const _ of tries) {
    const worked = workFor(clean, large)
    if (worked < 150 || worked < 4 * times * workFor(clean, hostileText(piece, small))) return false
  }
  return true
}

test.each(Object.entries(textCleaners))(
  'hostile text takes %s time in proportion to its length',
  (_, clean) => {
    const slow = Object.entries(hostilePieces).filter(([, piece]) => takesTooLong(clean, piece))
    expect(slow.map(([name]) => name)).toEqual([])
  },
)
