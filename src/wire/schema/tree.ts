import * as z from 'zod/mini'
import type { Diff, DiffSide } from '../../tree/diff.ts'
import type { TreeRow } from '../../tree/forest.ts'
import { filesDiff } from './files.ts'
import { list } from './list.ts'
import { message } from './message.ts'
import { component } from './names.ts'
import { count } from './numbers.ts'
import { session } from './session.ts'
import { sideFork } from './side-fork.ts'
import { usage } from './usage.ts'

export const treeRow = component(
  'TreeRow',
  z.extend(session, { depth: count, fork: z.nullable(sideFork), isMain: z.boolean() }),
) satisfies z.ZodMiniType<TreeRow>

export const diffSide = component(
  'DiffSide',
  z.object({ session, tail: list(message), usage }),
) satisfies z.ZodMiniType<DiffSide>

export const diff = component(
  'Diff',
  z.object({
    common: z.nullable(message),
    a: diffSide,
    b: diffSide,
    files: z.exactOptional(filesDiff),
  }),
) satisfies z.ZodMiniType<Diff>
