import * as z from 'zod/mini'
import { words } from '../route.ts'

// What several routes take.

export const prompt = z.string().check(z.minLength(1))

/** An id as a person types it, whole or shortened: what looks for it says best what is wrong with it. */
export const typedID = z.string().check(z.maxLength(1000))

export const title = z
  .string()
  .check(
    z.minLength(1, 'A title needs at least one character that shows'),
    z.maxLength(500, 'A title may have 500 characters at most'),
  )

export const directory = words(4096)

export const idleTimeout = z
  .int()
  .check(
    z.minimum(1),
    z.maximum(86_400),
    z.describe('Minutes without a word after which the agent is asked.'),
  )

/** In bytes: of a body that has room for the longest prompt. */
export const largestWithPrompt = 33_000_000
