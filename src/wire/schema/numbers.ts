import * as z from 'zod/mini'

/** Milliseconds since 1970. */
export const time = z.int().check(z.nonnegative(), z.describe('Milliseconds since 1970.'))

export const count = z.int().check(z.nonnegative())
