import * as z from 'zod/mini'
import {
  type EndedFiles,
  type EndedFork,
  type ExitAction,
  type ExitWish,
  endedFilesModes,
  type ForkChanges,
  type ForkOrigin,
  type ForkOutcome,
  type SideFork,
  type SideForkKind,
} from '../../tree/side-fork.ts'
import { fileChange, restored } from './files.ts'
import { channelID, messageID, scheduleID, sessionID, turnID } from './ids.ts'
import { list } from './list.ts'
import { component } from './names.ts'
import { time } from './numbers.ts'
import { processIdentity } from './process.ts'

export const sideForkKind = component(
  'SideForkKind',
  z.enum(['interactive', 'background']),
) satisfies z.ZodMiniType<SideForkKind>

export const forkOrigin = component(
  'ForkOrigin',
  z.enum(['person', 'agent', 'reply', 'button', 'schedule']),
) satisfies z.ZodMiniType<ForkOrigin>

export const exitAction = component(
  'ExitAction',
  z.enum(['save', 'report', 'discard']),
) satisfies z.ZodMiniType<ExitAction>

export const forkOutcome = component(
  'ForkOutcome',
  z.enum(['saved', 'reported', 'discarded', 'finished', 'failed', 'timed-out']),
) satisfies z.ZodMiniType<ForkOutcome>

export const exitWish = component(
  'ExitWish',
  z.object({ action: exitAction, text: z.nullable(z.string()), turnID: z.nullable(turnID) }),
) satisfies z.ZodMiniType<ExitWish>

export const sideFork = component(
  'SideFork',
  z.object({
    sessionID,
    channelID,
    kind: sideForkKind,
    origin: forkOrigin,
    topic: z.nullable(z.string()),
    prompt: z.nullable(z.string()),
    promptID: z.nullable(messageID),
    state: z.enum(['open', 'ended']),
    outcome: z.nullable(forkOutcome),
    reason: z.nullable(z.string()),
    wish: z.nullable(exitWish),
    idleTimeout: z.int().check(z.nonnegative(), z.describe('Minutes.')),
    lastActivity: time,
    promptedAt: z.nullable(time),
    timeout: z.nullable(z.int().check(z.nonnegative(), z.describe('Milliseconds.'))),
    allowedTools: z.nullable(list(z.string())),
    scheduleID: z.nullable(scheduleID),
    reported: z.boolean(),
    pinged: z.boolean(),
    process: z.nullable(processIdentity),
    began: z.nullable(time),
    started: time,
    ended: z.nullable(time),
  }),
) satisfies z.ZodMiniType<SideFork>

export const forkChanges = component(
  'ForkChanges',
  z.object({
    changes: list(fileChange),
    isPartial: z.boolean(),
    worktree: z.nullable(z.object({ path: z.string(), branch: z.string() })),
  }),
) satisfies z.ZodMiniType<ForkChanges>

export const endedFiles = component('EndedFiles', z.enum(endedFilesModes)) satisfies z.ZodMiniType<EndedFiles>

export const endedFork = component(
  'EndedFork',
  z.object({
    fork: sideFork,
    outcome: forkOutcome,
    words: z.string(),
    files: forkChanges,
    restored: z.exactOptional(restored),
  }),
) satisfies z.ZodMiniType<EndedFork>
