import type { Exit } from '../../bough.ts'
import { plainText } from '../../tree/plain-text.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { withProgress } from '../progress.ts'
import { readPrompt } from '../prompt-text.ts'
import { UsageError } from '../usage-error.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args, out, err, open } = context
  const exit = await exitOf(context)
  const bough = await open()
  const { id } = await bough.findSession(args.word('fork'))
  const ended = await withProgress(err, 'ending the fork', bough.exit(id, exit))
  if (args.flag('json')) printJson(out, ended)
  else out.line(plainText(ended.words))
  return 0
}

async function exitOf(context: Context): Promise<Exit> {
  const { args } = context
  const report = args.value('report')
  const given = [args.flag('save'), report !== undefined, args.flag('summary'), args.flag('discard')]
  if (given.filter(Boolean).length !== 1)
    throw new UsageError('Say how it ends, with one of --save, --report TEXT, --summary and --discard.')
  if (report !== undefined) return { action: 'report', text: await readPrompt(context, report) }
  if (args.flag('summary')) return { action: 'report' }
  return { action: args.flag('save') ? 'save' : 'discard' }
}
