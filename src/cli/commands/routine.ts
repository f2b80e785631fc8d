import { localZone } from '../../local-zone.ts'
import { drawSchedule, dueWords } from '../../tree/drawn/schedule-list.ts'
import { plainLine } from '../../tree/plain-text.ts'
import type { Schedule } from '../../tree/schedule.ts'
import { spawnDaemon } from '../comeback/spawn-daemon.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { readPrompt } from '../prompt-text.ts'
import { keepsTime } from '../schedules/keeps-time.ts'
import { scheduleWishes } from '../schedules/schedule-wishes.ts'
import { UsageError } from '../usage-error.ts'

const shownRuns = 3

export async function run(context: Context): Promise<ExitCode> {
  const action = context.args.optionalWord('action') ?? 'ls'
  switch (action) {
    case 'ls':
      return list(context)
    case 'add':
      return add(context)
    case 'rm':
      return remove(context)
    case 'run':
      return runNow(context)
    default:
      throw new UsageError(`"routine" does not know "${action}". There are add, ls, rm and run.`)
  }
}

async function list(context: Context): Promise<ExitCode> {
  const { args, out, open } = context
  wordsOf(context, [])
  const bough = await open()
  const schedules = await bough.schedules()
  const found = await Promise.all(
    schedules.map(async (schedule) => ({
      schedule,
      runs: await bough.scheduleRuns(schedule.id, shownRuns),
      main: await bough.session((await bough.channel(schedule.channelID)).mainID),
    })),
  )
  const view = { now: Date.now(), paint: out.paint }
  if (args.flag('json'))
    printJson(
      out,
      found.map(({ schedule, runs, main }) => ({ ...schedule, mainID: main.id, runs })),
    )
  else if (found.length === 0)
    out.line('No routines and no reminders. "bough routine add" and "bough remind" make them.')
  else
    for (const { schedule, runs, main } of found)
      for (const line of drawSchedule(schedule, runs, { ...view, main })) out.line(line)
  return 0
}

async function add(context: Context): Promise<ExitCode> {
  const { args, open } = context
  const [session = '', text = ''] = wordsOf(context, ['<session>', '<text or ->'])
  const [cron, zone] = [args.value('cron'), args.value('zone')]
  if (cron === undefined) throw new UsageError('Say when: --cron "0 8 * * 1-5" is every working day at 8:00.')
  const wishes = scheduleWishes(context)
  const prompt = await readPrompt(context, text)
  const bough = await open()
  const { id } = await bough.findSession(session)
  // The clock of a server may be another one than that of this machine.
  const whose = zone ?? (context.server === null ? undefined : localZone())
  const routine = await bough.addRoutine(id, { cron, ...(whose && { zone: whose }), prompt, ...wishes })
  return tellAdded(context, routine)
}

/** The id of a schedule for scripts; when it is due for the person. */
export function tellAdded({ args, out, err, server }: Context, schedule: Schedule): ExitCode {
  if (args.flag('json')) {
    printJson(out, schedule)
    return 0
  }
  out.line(schedule.id)
  err.line(`bough: ${dueWords(schedule, Date.now())}. It runs while ${whoKeepsTime(server)}.`)
  return 0
}

const whoKeepsTime = (server: string | null): string =>
  server === null ? `${keepsTime} is open` : `the server at ${server} is up`

async function remove(context: Context): Promise<ExitCode> {
  const { args, out, open } = context
  const [typed = ''] = wordsOf(context, ['<id>'])
  const bough = await open()
  const schedule = await bough.cancelSchedule((await bough.findSchedule(typed)).id)
  if (args.flag('json')) printJson(out, schedule)
  else out.line(`The ${schedule.kind} will not run again: ${plainLine(schedule.prompt)}`)
  return 0
}

async function runNow(context: Context): Promise<ExitCode> {
  const { args, out, err, open } = context
  const [typed = ''] = wordsOf(context, ['<id>'])
  const bough = await open()
  const started = await bough.runSchedule((await bough.findSchedule(typed)).id)
  spawnDaemon(context)
  if (args.flag('json')) printJson(out, started)
  else if (started) out.line(started.sessionID)
  else err.line(`bough: its prompt goes to the main conversation, while ${whoKeepsTime(context.server)}.`)
  return 0
}

function wordsOf({ args }: Context, labels: readonly string[]): readonly string[] {
  const words = args.words('words')
  const action = args.optionalWord('action') ?? 'ls'
  const usage = ['Usage: bough routine', action, ...labels].join(' ')
  const missing = labels[words.length]
  if (missing !== undefined) throw new UsageError(`"routine ${action}" needs ${missing}. ${usage}`)
  const excess = words[labels.length]
  if (excess === undefined) return words
  const hint = action === 'add' ? 'Put the text in quotes. ' : ''
  throw new UsageError(`"routine ${action}" does not know what to do with "${excess}". ${hint}${usage}`)
}
