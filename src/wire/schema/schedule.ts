import * as z from 'zod/mini'
import type { Reminder, Routine, Schedule, ScheduleRun } from '../../tree/schedule.ts'
import { runFiles } from './files.ts'
import { channelID, scheduleID, sessionID } from './ids.ts'
import { list } from './list.ts'
import { component } from './names.ts'
import { time } from './numbers.ts'
import { sandboxMode } from './session.ts'

export const reminder = component(
  'Reminder',
  z.object({
    kind: z.literal('reminder'),
    id: scheduleID,
    channelID,
    prompt: z.string(),
    agent: z.nullable(z.string()),
    model: z.nullable(z.string()),
    allowedTools: z.nullable(list(z.string())),
    sandbox: z.nullable(sandboxMode),
    files: z.nullable(runFiles),
    mode: z.enum(['background', 'main']),
    state: z.enum(['active', 'done', 'cancelled']),
    due: z.nullable(time),
    lastSessionID: z.nullable(sessionID),
    created: time,
  }),
) satisfies z.ZodMiniType<Reminder>

export const routine = component(
  'Routine',
  z.extend(reminder, { kind: z.literal('routine'), cron: z.string(), zone: z.string() }),
) satisfies z.ZodMiniType<Routine>

export const schedule = component(
  'Schedule',
  z.discriminatedUnion('kind', [routine, reminder]),
) satisfies z.ZodMiniType<Schedule>

export const scheduleRun = component(
  'ScheduleRun',
  z.object({
    scheduleID,
    due: time,
    how: z.enum(['ran', 'late', 'skipped', 'failed']),
    reason: z.nullable(z.string()),
    sessionID: z.nullable(sessionID),
    at: time,
  }),
) satisfies z.ZodMiniType<ScheduleRun>
