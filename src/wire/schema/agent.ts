import * as z from 'zod/mini'
import type { AgentStatus } from '../../bough.ts'
import { component } from './names.ts'

export const agentStatus = component(
  'AgentStatus',
  z.object({
    name: z.string(),
    installed: z.boolean(),
    ready: z.boolean(),
    certain: z.exactOptional(z.boolean()),
    detail: z.string(),
    fix: z.exactOptional(z.string()),
  }),
) satisfies z.ZodMiniType<AgentStatus>
