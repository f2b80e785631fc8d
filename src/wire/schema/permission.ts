import * as z from 'zod/mini'
import type { Permission } from '../../tree/permission.ts'
import { permissionID, sessionID, turnID } from './ids.ts'
import { component } from './names.ts'
import { time } from './numbers.ts'

export const permission = component(
  'Permission',
  z.object({
    id: permissionID,
    sessionID,
    turnID,
    tool: z.string(),
    detail: z.string(),
    caution: z.nullable(z.string()),
    state: z.enum(['asked', 'allowed', 'denied']),
    scope: z.enum(['call', 'session']),
    asked: time,
  }),
) satisfies z.ZodMiniType<Permission>
