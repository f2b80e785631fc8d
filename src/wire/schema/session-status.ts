import * as z from 'zod/mini'
import type { SessionStatus } from '../../tree/session-status.ts'
import { component } from './names.ts'
import { count } from './numbers.ts'

export const sessionStatus = component(
  'SessionStatus',
  z.object({
    git: z.nullable(z.object({ branch: z.nullable(z.string()), dirty: z.nullable(count) })),
    messages: count,
    tokens: count,
    window: z.nullable(count),
  }),
) satisfies z.ZodMiniType<SessionStatus>
