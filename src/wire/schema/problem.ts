import * as z from 'zod/mini'
import { list } from './list.ts'
import { component } from './names.ts'

/** What went wrong, as RFC 9457 has it. */
export const problem = component(
  'Problem',
  z.object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    /** For a person: what to do about it. */
    detail: z.string(),
    /** For programs. Any word: a newer server may know more of them. */
    code: z.string(),
    /** What is wrong with a request, and where in it. */
    errors: z.exactOptional(list(z.object({ path: z.string(), message: z.string() }))),
  }),
)
