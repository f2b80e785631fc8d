import * as z from 'zod/mini'
import { approvalScopes, type Offer, type Permission } from '../../tree/permission.ts'
import { permissionID, sessionID, turnID } from './ids.ts'
import { list } from './list.ts'
import { component } from './names.ts'
import { time } from './numbers.ts'

export const approvalScope = z.enum(approvalScopes)

const offer = component(
  'Offer',
  z.object({ scope: approvalScope, words: z.string(), rule: z.nullable(z.string()) }),
) satisfies z.ZodMiniType<Offer>

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
    scope: approvalScope,
    offers: list(offer),
    asked: time,
  }),
) satisfies z.ZodMiniType<Permission>
