import { runInBackground } from '../comeback/background-run.ts'
import { runFilesOf } from '../comeback/run-files.ts'
import { toolNames } from '../comeback/tool-names.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { readPrompt } from '../prompt-text.ts'
import { sandboxWish } from '../sandbox-mode.ts'
import { UsageError } from '../usage-error.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args, open } = context
  if (!args.flag('background'))
    throw new UsageError('Add --background. To run a turn here and now: bough send <session> <text>.')
  const [agent, model, allow] = [args.value('agent'), args.value('model'), args.value('allow')]
  const options = {
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...sandboxWish(args),
    ...(allow !== undefined && { allowedTools: toolNames(allow) }),
    ...minutes(args.count('timeout')),
    ...runFilesOf(args.value('files')),
    ...(args.flag('inherit-grants') && { inheritGrants: true }),
    wait: args.flag('wait'),
  }
  const text = await readPrompt(context, args.word('text'))
  const bough = await open()
  return runInBackground(context, bough, await bough.findSession(args.word('session')), text, options)
}

const minutes = (timeout: number | undefined) => (timeout === undefined ? {} : { timeout })
