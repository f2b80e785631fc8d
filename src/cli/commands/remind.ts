import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { readPrompt } from '../prompt-text.ts'
import { scheduleWishes } from '../schedules/schedule-wishes.ts'
import { parseWhen } from '../schedules/when.ts'
import { tellAdded } from './routine.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args, open } = context
  const at = parseWhen(args.word('when'), Date.now())
  const wishes = scheduleWishes(context)
  const prompt = await readPrompt(context, args.word('text'))
  const bough = await open()
  const { id } = await bough.findSession(args.word('session'))
  return tellAdded(context, await bough.addReminder(id, { at, prompt, ...wishes }))
}
