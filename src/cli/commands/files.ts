import { findAddress } from '../address.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { printPatch } from '../patch-view.ts'
import { withProgress } from '../progress.ts'

export async function run({ args, out, err, open }: Context): Promise<ExitCode> {
  const bough = await open()
  const { session, message } = await findAddress(bough, args.word('session'))
  const files = await withProgress(err, 'comparing', bough.files(session.id, message?.id))
  if (args.flag('json')) printJson(out, files)
  else await printPatch(out, files)
  return 0
}
