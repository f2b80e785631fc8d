import type { Bough, Exit } from '../../bough.ts'
import type { SessionID } from '../../tree/ids.ts'
import { plainText } from '../../tree/plain-text.ts'
import { type EndedFiles, endedFilesModes, putBackWords } from '../../tree/side-fork.ts'
import { printChanges } from '../changes-view.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { withProgress } from '../progress.ts'
import { readPrompt } from '../prompt-text.ts'
import { UsageError } from '../usage-error.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args, out, err, open } = context
  const files = filesOf(context)
  const exit = await exitOf(context, files)
  const bough = await open()
  const { id } = await bough.findSession(args.word('fork'))
  if (!exit) return putBack(context, bough, id)
  const ended = await withProgress(err, 'ending the fork', bough.exit(id, exit))
  if (args.flag('json')) printJson(out, ended)
  else out.line(plainText(ended.words))
  return files === 'put-back' && !ended.restored ? 1 : 0
}

// Of a fork that has ended already.
async function putBack({ args, out, err }: Context, bough: Bough, id: SessionID): Promise<ExitCode> {
  const restored = await withProgress(err, 'putting its files back', bough.putBack(id))
  if (args.flag('json')) printJson(out, restored)
  else {
    printChanges(out, restored)
    out.line(putBackWords(restored))
  }
  return 0
}

function filesOf({ args }: Context): EndedFiles | undefined {
  const typed = args.value('files')
  const files = endedFilesModes.find((each) => each === typed)
  if (typed !== undefined && !files)
    throw new UsageError(`--files must be one of ${endedFilesModes.join(', ')}, not "${typed}".`)
  return files
}

// Null where only the files of an ended fork are to be put back.
async function exitOf(context: Context, files: EndedFiles | undefined): Promise<Exit | null> {
  const { args } = context
  const report = args.value('report')
  const how = await howItEnds(context, report)
  if (how) return { ...how, ...(files && { files }) }
  if (files === 'put-back') return null
  throw new UsageError('Say how it ends, with one of --save, --report TEXT, --summary and --discard.')
}

async function howItEnds(context: Context, report: string | undefined): Promise<Exit | null> {
  const { args } = context
  const given = [args.flag('save'), report !== undefined, args.flag('summary'), args.flag('discard')]
  const count = given.filter(Boolean).length
  if (count === 0) return null
  if (count > 1)
    throw new UsageError('Say how it ends, with one of --save, --report TEXT, --summary and --discard.')
  if (report !== undefined) return { action: 'report', text: await readPrompt(context, report) }
  if (args.flag('summary')) return { action: 'report' }
  return { action: args.flag('save') ? 'save' : 'discard' }
}
