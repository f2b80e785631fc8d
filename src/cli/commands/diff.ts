import type { DiffSide } from '../../tree/diff.ts'
import { shortID } from '../../tree/ids.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { showMessage } from '../message-view.ts'
import type { Output } from '../output.ts'
import { printPatch } from '../patch-view.ts'
import { plainLine } from '../plain-text.ts'
import { withProgress } from '../progress.ts'

export async function run({ args, out, err, open }: Context): Promise<ExitCode> {
  const bough = await open()
  const a = await bough.findSession(args.word('a'))
  const b = await bough.findSession(args.word('b'))
  const diff = await withProgress(err, 'comparing', bough.diff(a.id, b.id, { files: args.flag('files') }))
  if (args.flag('json')) {
    printJson(out, diff)
    return 0
  }
  const view = { now: Date.now(), paint: out.paint }
  out.line(
    out.paint('dim', diff.common ? 'The last message that both have:' : 'They have no message in common.'),
  )
  if (diff.common) out.line(showMessage(diff.common, view))
  for (const side of [diff.a, diff.b]) printSide(out, side)
  if (diff.files) {
    out.line(`\n${out.paint('bold', '── their files')}`)
    await printPatch(out, diff.files)
  }
  return 0
}

function printSide(out: Output, { session, tail, usage }: DiffSide): void {
  const tokens = usage.inputTokens + usage.outputTokens
  const spent = tokens > 0 ? `, ${tokens} tokens, $${usage.costUSD.toFixed(2)}` : ''
  const after = `${tail.length} ${tail.length === 1 ? 'message' : 'messages'} after that${spent}`
  out.line(`\n${out.paint('bold', `── ${plainLine(session.title)}`)} ${shortID(session.id)} · ${after}`)
  for (const message of tail) out.line(`\n${showMessage(message, { now: Date.now(), paint: out.paint })}`)
}
