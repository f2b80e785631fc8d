import type { Bough } from '../../bough.ts'
import type { FilesDiff } from '../../tree/file-change.ts'
import { type Address, findAddress } from '../address.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { printPatch } from '../patch-view.ts'
import { withProgress } from '../progress.ts'

export async function run({ args, out, err, open }: Context): Promise<ExitCode> {
  const bough = await open()
  const address = await findAddress(bough, args.word('session'))
  const { session, message } = address
  const comparing = args.flag('now') ? sinceThen(bough, address) : bough.files(session.id, message?.id)
  const files = await withProgress(err, 'comparing', comparing)
  if (args.flag('json')) printJson(out, files)
  else await printPatch(out, err, files)
  return 0
}

async function sinceThen(bough: Bough, { session, message }: Address): Promise<FilesDiff> {
  const at = message ?? (await bough.messages(session.id, { limit: 1 }))[0]
  const then = { sessionID: session.id, ...(at && { messageID: at.id }) }
  return bough.compareFiles(then, { directory: session.directory })
}
