import * as z from 'zod/mini'
import type { ProcessIdentity } from '../../tree/owner.ts'
import { component } from './names.ts'

export const processIdentity = component(
  'ProcessIdentity',
  z.object({ pid: z.int(), started: z.string(), machine: z.string() }),
) satisfies z.ZodMiniType<ProcessIdentity>
