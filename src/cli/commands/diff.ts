import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Bough } from '../../bough.ts'
import type { Diff, DiffSide } from '../../tree/diff.ts'
import type { FilesAt } from '../../tree/file-change.ts'
import { shortID } from '../../tree/ids.ts'
import { plainLine } from '../../tree/plain-text.ts'
import { findAddress } from '../address.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { showMessage } from '../message-view.ts'
import type { Output } from '../output.ts'
import { printPatch } from '../patch-view.ts'
import { withProgress } from '../progress.ts'

export async function run({ args, out, err, open }: Context): Promise<ExitCode> {
  const bough = await open()
  const typed = [args.word('a'), args.word('b')] as const
  const [json, files] = [args.flag('json'), args.flag('files')]
  if (files && (await isAboutFilesOnly(typed))) {
    const [a, b] = [await filesAt(bough, typed[0]), await filesAt(bough, typed[1])]
    const difference = await withProgress(err, 'comparing', bough.compareFiles(a, b))
    if (json) printJson(out, difference)
    else await printPatch(out, err, difference)
    return 0
  }
  const [a, b] = [await bough.findSession(typed[0]), await bough.findSession(typed[1])]
  const diff = await withProgress(err, 'comparing', bough.diff(a.id, b.id, { files }))
  if (json) printJson(out, diff)
  else await printDiff(out, err, diff)
  return 0
}

async function printDiff(out: Output, err: Output, { common, a, b, files }: Diff): Promise<void> {
  const view = { now: Date.now(), paint: out.paint }
  out.line(out.paint('dim', common ? 'The last message that both have:' : 'They have no message in common.'))
  if (common) out.line(showMessage(common, view))
  for (const side of [a, b]) printSide(out, side)
  if (!files) return
  out.line(`\n${out.paint('bold', '── their files')}`)
  await printPatch(out, err, files)
}

function printSide(out: Output, { session, tail, usage }: DiffSide): void {
  const tokens = usage.inputTokens + usage.outputTokens
  const spent = tokens > 0 ? `, ${tokens} tokens, $${usage.costUSD.toFixed(2)}` : ''
  const after = `${tail.length} ${tail.length === 1 ? 'message' : 'messages'} after that${spent}`
  out.line(`\n${out.paint('bold', `── ${plainLine(session.title)}`)} ${shortID(session.id)} · ${after}`)
  for (const message of tail) out.line(`\n${showMessage(message, { now: Date.now(), paint: out.paint })}`)
}

async function isAboutFilesOnly(typed: readonly string[]): Promise<boolean> {
  for (const each of typed) {
    if (each.includes('@') || each.startsWith('snp_') || (await isDirectory(each))) return true
  }
  return false
}

async function filesAt(bough: Bough, typed: string): Promise<FilesAt> {
  if (typed.startsWith('snp_')) return { snapshotID: (await bough.findSnapshot(typed)).id }
  if (await isDirectory(typed)) return { directory: resolve(typed) }
  const { session, message } = await findAddress(bough, typed)
  return { sessionID: session.id, ...(message && { messageID: message.id }) }
}

// Only what looks like a path: a short id may be the name of a directory by chance.
const isDirectory = async (typed: string): Promise<boolean> =>
  /[./]/.test(typed) && ((await stat(typed).catch(() => null))?.isDirectory() ?? false)
