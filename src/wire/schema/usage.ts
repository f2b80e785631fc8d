import * as z from 'zod/mini'
import type { Cost, Usage } from '../../tree/usage.ts'
import { component } from './names.ts'
import { count } from './numbers.ts'

export const usage = component(
  'Usage',
  z.object({
    inputTokens: count,
    outputTokens: count,
    cacheReadTokens: count,
    cacheWriteTokens: count,
    costUSD: z.number(),
  }),
) satisfies z.ZodMiniType<Usage>

export const cost = component(
  'Cost',
  z.object({ own: usage, inherited: usage }),
) satisfies z.ZodMiniType<Cost>
