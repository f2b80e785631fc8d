import type { Bough, ForkOptions } from '../../bough.ts'
import { filesWord } from '../../tree/file-change.ts'
import { type FilesMode, type Forked, filesModes } from '../../tree/files-mode.ts'
import { type SessionID, shortID } from '../../tree/ids.ts'
import type { Session } from '../../tree/session.ts'
import { type Address, findAddress } from '../address.ts'
import { printChanges } from '../changes-view.ts'
import type { ExitCode } from '../command.ts'
import { confirm } from '../confirm.ts'
import type { Context } from '../context.ts'
import { Interrupt } from '../interrupt.ts'
import { printJson } from '../json.ts'
import { plainText } from '../plain-text.ts'
import { withProgress } from '../progress.ts'
import { readPrompt } from '../prompt-text.ts'
import { sendPrompt } from '../send-prompt.ts'
import { UsageError } from '../usage-error.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args, out, err, open } = context
  const [title, agent, model, prompt] = ['title', 'agent', 'model', 'prompt'].map((name) => args.value(name))
  const files = filesMode(args.value('files'))
  const text = prompt === undefined ? null : await readPrompt(context, prompt)
  const json = args.flag('json')

  const bough = await open()
  const address = await findAddress(bough, args.word('session'))
  const options = {
    ...(address.message && { messageID: address.message.id }),
    before: args.flag('before'),
    ...(title !== undefined && { title }),
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    files,
  }
  if (files === 'restore' && !(await agreed(context, bough, address.session.id, options))) return 1
  const fork = await make(context, bough, address.session.id, options)
  if (!fork) return 130
  const moved = args.flag('before') ? null : movedPoint(address, fork)
  if (moved) err.line(`bough: the fork begins at ${moved}: a tool call and its results stay together.`)
  if (files === 'auto') err.line(`bough: ${fork.files.why}`)
  for (const notice of fork.files.notices) err.line(`bough: ${plainText(notice).trimEnd()}`)

  if (!json) out.line(fork.id)
  if (text === null) {
    if (json) printJson(out, fork)
    return 0
  }
  const { messages, exitCode } = await sendPrompt(context, bough, fork, text, { silent: json })
  if (json) printJson(out, { session: await bough.session(fork.id), messages })
  return exitCode
}

function filesMode(typed = 'auto'): FilesMode {
  const mode = filesModes.find((each) => each === typed)
  if (mode) return mode
  throw new UsageError(`--files must be one of ${filesModes.join(', ')}, not "${typed}".`)
}

// A restore changes files that somebody may be working on: they see what, and say so.
async function agreed(context: Context, bough: Bough, id: SessionID, options: ForkOptions): Promise<boolean> {
  const { err, args, interactive } = context
  const preview = await withProgress(err, 'comparing', bough.previewFork(id, options))
  err.line(`bough: this puts ${filesWord(preview.changes.length)} back:`)
  printChanges(err, preview)
  if (!interactive || args.flag('yes')) return true
  if (await confirm(context, 'Put them back? "bough undo" takes it back later.')) return true
  err.line('bough: nothing was changed, and no fork was made.')
  return false
}

async function make(
  { err }: Context,
  bough: Bough,
  id: SessionID,
  options: ForkOptions,
): Promise<Forked | null> {
  const interrupt = Interrupt.listen()
  const onSetUp = (text: string): void => err.write(plainText(text))
  try {
    return await bough.fork(id, { ...options, onSetUp, signal: interrupt.signal })
  } catch (error) {
    if (interrupt.exitCode === null) throw error
    err.line('bough: interrupted; no fork was made.')
    return null
  } finally {
    interrupt.stop()
  }
}

const movedPoint = ({ message }: Address, fork: Session): string | null =>
  message && fork.forkPoint && fork.forkPoint !== message.id ? shortID(fork.forkPoint) : null
