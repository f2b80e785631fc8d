import { inject } from 'vitest'

export { randomFrom } from './random.ts'

/** The full count in `npm run test:long`, a reduced one in `npm test`. */
export const count = (full: number, reduced: number): number => (process.env.BOUGH_TEST_LONG ? full : reduced)

/** The seed of every random choice of this run; printed at its start, set with BOUGH_TEST_SEED. */
export const seed = (): number => inject('seed')
