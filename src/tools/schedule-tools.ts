import * as z from 'zod'
import type { Tool } from '../agents/driver.ts'
import { checkCron, nextDue } from '../routines/cron.ts'
import { parseLocalTime } from '../routines/local-time.ts'
import { checkTime } from '../routines/schedules.ts'
import { scheduleLine, timeInZone } from '../routines/words.ts'
import { BoughError } from '../tree/error.ts'
import type { ReminderDraft, RoutineDraft, Schedule } from '../tree/schedule.ts'
import { defineTool } from './define-tool.ts'
import { runFiles } from './fork-tools.ts'

/** What the schedule tools of one conversation are bound to. */
export interface ScheduleCaller {
  addRoutine(draft: RoutineDraft): Promise<Schedule>
  addReminder(draft: ReminderDraft): Promise<Schedule>
  list(): Promise<readonly Schedule[]>
  /** By whole or shortened id. */
  cancel(typedID: string): Promise<Schedule>
  /** Asks a person. */
  approve(
    tool: string,
    detail: string,
  ): Promise<{ readonly allow: true } | { readonly allow: false; readonly reason: string }>
  now(): number
  /** The person's time zone. */
  readonly zone: string
}

/** The tools with which an agent schedules prompts. What it adds runs later and by itself, so a person approves it first. */
export const scheduleTools = (caller: ScheduleCaller): readonly Tool[] => [
  defineTool({
    name: 'add_routine',
    description:
      'Schedules a prompt that runs again and again, in the background unless said otherwise. The person is asked first.',
    input: z.strictObject({
      cron: z.string().describe('Minute, hour, day of month, month, weekday: "0 8 * * 1-5".'),
      time_zone: z.string().optional().describe(`Like "Europe/Berlin". Usually ${caller.zone}.`),
      ...shared,
    }),
    async call({ cron, time_zone: zone = caller.zone, ...rest }) {
      checkCron(cron, zone)
      const next = nextDue(cron, zone, caller.now())
      const when = `Cron: ${cron}\nTime zone: ${zone}\nNext: ${next === null ? 'never' : timeInZone(next, zone)}`
      const draft = { ...draftOf(rest), cron, zone }
      return added(caller, 'add_routine', detailOf(when, draft), () => caller.addRoutine(draft))
    },
  }),
  defineTool({
    name: 'add_reminder',
    description:
      'Schedules a prompt that runs once, in the background unless said otherwise. The person is asked first.',
    input: z.strictObject({
      at: z
        .string()
        .optional()
        .describe(
          `Local time in ${caller.zone}, like 2026-12-24T18:00; or with an offset. Or give in_minutes.`,
        ),
      in_minutes: z.number().positive().optional(),
      ...shared,
    }),
    async call({ at, in_minutes: inMinutes, ...rest }) {
      const time = checkTime(timeOf(caller, at, inMinutes), caller.now(), caller.zone)
      const draft = { ...draftOf(rest), at: time }
      const detail = detailOf(`Once: ${timeInZone(time, caller.zone)}`, draft)
      return added(caller, 'add_reminder', detail, () => caller.addReminder(draft))
    },
  }),
  defineTool({
    name: 'list_schedule',
    description: 'Lists the routines and reminders of this conversation, each with its id.',
    input: z.strictObject({}),
    async call() {
      const lines = (await caller.list()).map((each) => scheduleLine(each, caller.zone))
      return lines.length === 0 ? 'Nothing is scheduled.' : lines.join('\n')
    },
  }),
  defineTool({
    name: 'cancel_schedule',
    description: 'Cancels a routine or a reminder.',
    input: z.strictObject({ id: z.string().describe('As list_schedule gives it.') }),
    async call({ id }) {
      const { kind } = await caller.cancel(id)
      return `The ${kind} ${id} is cancelled.`
    },
  }),
]

const shared = {
  prompt: z.string().trim().min(1, 'The prompt is empty.').describe('What you will be asked to do then.'),
  mode: z
    .enum(['background', 'main'])
    .optional()
    .describe('background: a run of its own. main: in the main conversation.'),
  allowed_tools: z.array(z.string()).optional().describe('The only tools that its runs may use.'),
  agent: z.string().optional(),
  model: z.string().optional(),
  files: runFiles,
}

type Shared = z.infer<z.ZodObject<typeof shared>>
type Draft = Omit<ReminderDraft, 'at'>

const draftOf = ({ prompt, mode, allowed_tools: allowedTools, agent, model, files }: Shared): Draft => ({
  prompt,
  ...(mode !== undefined && { mode }),
  ...(allowedTools !== undefined && { allowedTools }),
  ...(agent !== undefined && { agent }),
  ...(model !== undefined && { model }),
  ...(files !== undefined && { files }),
})

function timeOf(caller: ScheduleCaller, at?: string, inMinutes?: number): number {
  if ((at === undefined) === (inMinutes === undefined))
    throw new BoughError('bad_input', 'Give either at or in_minutes.')
  if (inMinutes !== undefined) return caller.now() + inMinutes * 60_000
  return parseLocalTime(at ?? '', caller.zone)
}

/** All that the person agrees to. */
const detailOf = (when: string, { prompt, mode, allowedTools, agent, model, files }: Draft): string =>
  [
    when,
    `Where: ${mode === 'main' ? 'in the main conversation' : 'in the background'}`,
    `Agent: ${agent ?? 'that of the main conversation'}${model === undefined ? '' : `, model ${model}`}`,
    `Tools: ${toolWords(allowedTools)}`,
    ...(files === undefined ? [] : [`Files: ${files}`]),
    `Prompt: ${prompt}`,
  ].join('\n')

function toolWords(allowedTools: readonly string[] | undefined): string {
  if (allowedTools === undefined) return 'all that are allowed anyway'
  return allowedTools.length === 0 ? 'none' : `only ${allowedTools.join(', ')}`
}

async function added(
  caller: ScheduleCaller,
  tool: string,
  detail: string,
  add: () => Promise<Schedule>,
): Promise<string> {
  const answer = await caller.approve(tool, detail)
  if (!answer.allow) throw new BoughError('not_allowed', `Not added: ${answer.reason}`)
  return `Added: ${scheduleLine(await add(), caller.zone)}`
}
