import * as z from 'zod/mini'
import { count, plain, route, words } from '../route.ts'
import { runFiles } from '../schema/files.ts'
import { scheduleID } from '../schema/ids.ts'
import { list } from '../schema/list.ts'
import { schedule, scheduleRun } from '../schema/schedule.ts'
import { sandboxMode } from '../schema/session.ts'
import { sideFork } from '../schema/side-fork.ts'
import { ofChannel, tools, where } from './channels.ts'
import { prompt, typedID } from './fields.ts'

const params = z.strictObject({ id: scheduleID })
const draft = {
  where,
  prompt,
  mode: z.exactOptional(z.enum(['background', 'main'])),
  agent: z.exactOptional(words(100)),
  model: z.exactOptional(words(200)),
  allowedTools: z.exactOptional(tools),
  sandbox: z.exactOptional(sandboxMode),
  files: z.exactOptional(runFiles),
}
const cron = words(200)
const zone = words(100)
const at = z
  .number()
  .check(z.minimum(0), z.maximum(8_640_000_000_000_000), z.describe('Milliseconds since 1970.'))

/** Routines and reminders. */
export const scheduleRoutes = {
  schedules: route({
    ...plain,
    method: 'GET',
    path: '/routine',
    about: 'Routines and reminders that are still due, oldest first',
    query: ofChannel,
    result: list(schedule),
  }),
  findSchedule: route({
    ...plain,
    method: 'GET',
    path: '/find/routine',
    about: 'The routine or reminder with a whole or shortened id',
    query: z.strictObject({ id: typedID }),
    result: schedule,
  }),
  addRoutine: route({
    ...plain,
    method: 'POST',
    path: '/routine',
    about: 'Run a prompt again and again',
    body: z.strictObject({ ...draft, cron, zone: z.exactOptional(zone) }),
    status: 201,
    result: schedule,
  }),
  addReminder: route({
    ...plain,
    method: 'POST',
    path: '/reminder',
    about: 'Run a prompt once',
    body: z.strictObject({ ...draft, at }),
    status: 201,
    result: schedule,
  }),
  changeSchedule: route({
    ...plain,
    method: 'PATCH',
    path: '/routine/{id}',
    about: 'Change the prompt or the time of a routine or reminder',
    params,
    body: z.strictObject({
      prompt: z.exactOptional(prompt),
      cron: z.exactOptional(cron),
      zone: z.exactOptional(zone),
      at: z.exactOptional(at),
    }),
    result: schedule,
  }),
  cancelSchedule: route({
    ...plain,
    method: 'DELETE',
    path: '/routine/{id}',
    about: 'Cancel a routine or reminder',
    params,
    result: schedule,
  }),
  runSchedule: route({
    ...plain,
    method: 'POST',
    path: '/routine/{id}/run',
    about: 'Run it now, beside its times; null where its prompt goes to main',
    params,
    result: z.nullable(sideFork),
  }),
  scheduleRuns: route({
    ...plain,
    method: 'GET',
    path: '/routine/{id}/run',
    about: 'What became of its times, the newest first',
    params,
    query: z.strictObject({ limit: z.exactOptional(count(1000)) }),
    result: list(scheduleRun),
  }),
}
