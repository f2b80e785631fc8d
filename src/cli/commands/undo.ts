import { resolve } from 'node:path'
import { filesWord } from '../../tree/file-change.ts'
import { plainLine } from '../../tree/plain-text.ts'
import { printChanges } from '../changes-view.ts'
import type { ExitCode } from '../command.ts'
import { confirm } from '../confirm.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { withProgress } from '../progress.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args, out, err, interactive, open } = context
  const [dryRun, json] = [args.flag('dry-run'), args.flag('json')]
  const typed = args.optionalWord('snapshot')
  const dir = args.value('dir')
  const directory = dir === undefined ? context.directory() : resolve(dir)
  const bough = await open()
  const options = {
    finish: args.flag('finish'),
    ...(typed !== undefined && { snapshotID: (await bough.findSnapshot(typed)).id }),
  }
  const asks = interactive && !args.flag('yes') && !dryRun
  if (asks) {
    const would = await withProgress(err, 'comparing', bough.undo(directory, { ...options, dryRun: true }))
    err.line(`bough: in ${plainLine(would.root)} this puts ${filesWord(would.changes.length)} back:`)
    printChanges(err, would)
    if (!(await confirm(context, 'Put them back?'))) {
      err.line('bough: nothing was changed.')
      return 1
    }
  }
  const done = await withProgress(err, 'putting files back', bough.undo(directory, { ...options, dryRun }))
  if (json) {
    printJson(out, done)
    return 0
  }
  if (!asks) printChanges(out, done)
  const verb = dryRun ? 'would be put back' : 'put back'
  out.line(`${filesWord(done.changes.length)} ${verb} in ${plainLine(done.root)}.`)
  if (done.before && done.changes.length > 0) {
    out.line(`What was there is kept: bough undo ${done.before} brings it back.`)
  }
  return 0
}
