import * as z from 'zod/mini'
import type { Forked, ForkPreview } from '../../tree/files-mode.ts'
import {
  type ContextMode,
  contextModes,
  type ForkContext,
  type ForkSeed,
  type SeedState,
} from '../../tree/fork-seed.ts'
import { forkFiles } from './files.ts'
import { seedID, sessionID, workspaceID } from './ids.ts'
import { component } from './names.ts'
import { count, time } from './numbers.ts'
import { session } from './session.ts'
import { usage } from './usage.ts'

export const contextMode = component('ContextMode', z.enum(contextModes)) satisfies z.ZodMiniType<ContextMode>

export const forkContext = component(
  'ForkContext',
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('native'), why: z.string() }),
    z.object({
      kind: z.literal('seed'),
      why: z.string(),
      tokens: count,
      window: z.nullable(count),
      leftOut: z.nullable(z.string()),
      warning: z.nullable(z.string()),
    }),
  ]),
) satisfies z.ZodMiniType<ForkContext>

export const forkPreview = component(
  'ForkPreview',
  z.object({ files: forkFiles, context: forkContext }),
) satisfies z.ZodMiniType<ForkPreview>

export const forked = component(
  'Forked',
  z.extend(session, forkPreview.shape),
) satisfies z.ZodMiniType<Forked>

export const seedState = component(
  'SeedState',
  z.enum(['waiting', 'sending', 'sent', 'failed']),
) satisfies z.ZodMiniType<SeedState>

export const forkSeed = component(
  'ForkSeed',
  z.object({
    id: seedID,
    sessionID,
    agent: z.string(),
    parentID: z.nullable(sessionID),
    parentWorkspaceID: z.nullable(workspaceID),
    why: z.string(),
    sha256: z.string(),
    tokens: count,
    window: z.nullable(count),
    leftOut: z.nullable(z.string()),
    state: seedState,
    hidden: z.boolean(),
    usage: z.nullable(usage),
    created: time,
  }),
) satisfies z.ZodMiniType<ForkSeed>
