import { inject } from 'vitest'
import { randomFrom } from './random.ts'

export { randomFrom }

/** The full count in `npm run test:long`, a reduced one in `npm test`. */
export const count = (full: number, reduced: number): number => (process.env.BOUGH_TEST_LONG ? full : reduced)

/** The seed of every random choice of this run; printed at its start, set with BOUGH_TEST_SEED. */
export const seed = (): number => inject('seed')

/** All variants of a test in `npm run test:long`; in `npm test` one of them, and maybe another with another seed. */
export function variants<T>(all: readonly T[]): readonly T[] {
  const one = Math.floor(randomFrom(seed())() * all.length)
  return process.env.BOUGH_TEST_LONG ? all : all.slice(one, one + 1)
}
