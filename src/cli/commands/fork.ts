import type { Bough, ForkOptions } from '../../bough.ts'
import { filesWord } from '../../tree/file-change.ts'
import { type Forked, filesModes } from '../../tree/files-mode.ts'
import { contextModes, type ForkContext } from '../../tree/fork-seed.ts'
import { type SessionID, shortID } from '../../tree/ids.ts'
import { plainText } from '../../tree/plain-text.ts'
import type { Session } from '../../tree/session.ts'
import { abortOn } from '../abort-on.ts'
import { type Address, findAddress } from '../address.ts'
import { mustBeReady } from '../agent-ready.ts'
import { printChanges } from '../changes-view.ts'
import { runInBackground } from '../comeback/background-run.ts'
import { runFilesOf } from '../comeback/run-files.ts'
import type { ExitCode } from '../command.ts'
import { agreed, confirm } from '../confirm.ts'
import type { Context } from '../context.ts'
import { Interrupt } from '../interrupt.ts'
import { printJson } from '../json.ts'
import { withProgress } from '../progress.ts'
import { readPrompt } from '../prompt-text.ts'
import { sandboxWish } from '../sandbox-mode.ts'
import { sendPrompt } from '../send-prompt.ts'
import { UsageError } from '../usage-error.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args, out, err, open } = context
  const [title, agent, model, prompt] = ['title', 'agent', 'model', 'prompt'].map((name) => args.value(name))
  const mode = oneOf('--context', contextModes, args.value('context'))
  const text = prompt === undefined ? null : await readPrompt(context, prompt)
  const json = args.flag('json')
  if (args.flag('background')) return unattended(context, text)
  const files = oneOf('--files', filesModes, args.value('files'))

  const bough = await open()
  const address = await findAddress(bough, args.word('session'))
  const options = {
    ...(address.message && { messageID: address.message.id }),
    before: args.flag('before'),
    ...(title !== undefined && { title }),
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...sandboxWish(args),
    files,
    context: mode,
  }
  const { id } = address.session
  if (agent !== undefined && agent !== address.session.agent) await mustBeReady(context, bough, agent)
  if (!(await agreedToContext(context, await bough.forkContext(id, options)))) return 1
  if (files === 'restore' && !(await agreedToRestore(context, bough, id, options))) return 1
  const made = await make(context, bough, id, options)
  if (!made) return 130
  const { fork, printed } = made
  const moved = args.flag('before') ? null : movedPoint(address, fork)
  if (moved) err.line(`bough: the fork begins at ${moved}: a tool call and its results stay together.`)
  if (files === 'auto') err.line(`bough: ${fork.files.why}`)
  for (const notice of fork.files.notices)
    err.line(`bough: ${plainText(withoutShown(notice, printed)).trimEnd()}`)

  if (!json) out.line(fork.id)
  if (text === null) {
    const exitCode = fork.context.kind === 'native' ? 0 : await seeded(context, bough, fork.id)
    if (json) printJson(out, { ...fork, ...(await bough.session(fork.id)) })
    return exitCode
  }
  const { messages, exitCode } = await sendPrompt(context, bough, fork, text, { silent: json })
  if (json) printJson(out, { session: await bough.session(fork.id), messages })
  return exitCode
}

// A background fork is no branch: it begins where the conversation is, and comes back.
async function unattended(context: Context, text: string | null): Promise<ExitCode> {
  const { args, open } = context
  if (text === null) throw new UsageError('What should run in the background? Say it with --prompt TEXT.')
  if (args.word('session').includes('@') || args.flag('before')) {
    throw new UsageError(
      "A background fork begins at the conversation's last finished turn. Leave the message out, or --background.",
    )
  }
  const unfit = ['title', 'context'].find((name) => args.value(name) !== undefined)
  if (unfit) throw new UsageError(`--${unfit} is not for background forks. Leave it out, or --background.`)
  const [agent, model] = [args.value('agent'), args.value('model')]
  const bough = await open()
  const session = await bough.findSession(args.word('session'))
  if (agent !== undefined && agent !== session.agent) await mustBeReady(context, bough, agent)
  return runInBackground(context, bough, session, text, {
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...sandboxWish(args),
    ...runFilesOf(args.value('files')),
    wait: false,
  })
}

function oneOf<T extends string>(option: string, modes: readonly T[], typed = 'auto'): T {
  const mode = modes.find((each) => each === typed)
  if (mode) return mode
  throw new UsageError(`${option} must be one of ${modes.join(', ')}, not "${typed}".`)
}

// What the agent will not be told, and what will hardly fit, the person hears before it is done.
async function agreedToContext(context: Context, chosen: ForkContext): Promise<boolean> {
  const { err, args, interactive } = context
  if (chosen.kind === 'native') return true
  const size = `about ${chosen.tokens.toLocaleString('en')} tokens`
  err.line(`bough: ${plainText(chosen.why)} The fork gets the conversation as a seed, ${size}.`)
  if (chosen.warning === null) return true
  err.line(err.paint('yellow', `bough: ${chosen.warning}`))
  if (!interactive || args.flag('yes')) return true
  if (await confirm(context, 'Fork all the same?')) return true
  err.line('bough: no fork was made.')
  return false
}

/** Waits for the seed; the exit code tells whether it is in. */
async function seeded(context: Context, bough: Bough, id: SessionID): Promise<ExitCode> {
  const { err } = context
  const interrupt = Interrupt.listen()
  abortOn(interrupt.signal, context, bough, id)
  try {
    const seed = await withProgress(err, 'handing the conversation over', bough.seed(id))
    if (seed?.state === 'sent') return 0
    const [last] = (await bough.messages(id, { limit: 1 })).flatMap(({ parts }) => parts)
    const why = last?.type === 'notice' ? plainText(last.text) : 'It is handed over with your next prompt.'
    err.line(
      `bough: ${interrupt.exitCode === null ? why : 'interrupted; it is handed over with your next prompt.'}`,
    )
    return interrupt.exitCode ?? 1
  } finally {
    interrupt.stop()
  }
}

// A restore changes files that somebody may be working on: they see what, and say so.
async function agreedToRestore(
  context: Context,
  bough: Bough,
  id: SessionID,
  options: ForkOptions,
): Promise<boolean> {
  const { err } = context
  const { files } = await withProgress(err, 'comparing', bough.previewFork(id, options))
  if (files.changes.length === 0) return true
  err.line(`bough: this puts ${filesWord(files.changes.length)} back:`)
  printChanges(err, files)
  if (await agreed(context, 'Put them back? "bough undo" takes it back later.')) return true
  err.line('bough: nothing was changed, and no fork was made.')
  return false
}

async function make(
  { err }: Context,
  bough: Bough,
  id: SessionID,
  options: ForkOptions,
): Promise<{ readonly fork: Forked; readonly printed: string } | null> {
  const interrupt = Interrupt.listen()
  let printed = ''
  const onSetUp = (text: string): void => {
    printed = (printed + text).slice(-longestEnd)
    err.write(plainText(text))
  }
  try {
    const fork = await bough.fork(id, { ...options, onSetUp, signal: interrupt.signal })
    return { fork, printed }
  } catch (error) {
    if (interrupt.exitCode === null) throw error
    err.line('bough: interrupted; no fork was made.')
    return null
  } finally {
    interrupt.stop()
  }
}

/** More of the end of what the set-up command printed than a notice repeats. */
const longestEnd = 10_000

// What the command printed was shown as it came: once is enough.
function withoutShown(notice: string, printed: string): string {
  const [head = '', ...rest] = notice.trimEnd().split('\n')
  const isShown = rest.length > 0 && printed.trimEnd().endsWith(rest.join('\n'))
  return isShown ? head.replace(/:$/, '.') : notice
}

const movedPoint = ({ message }: Address, fork: Session): string | null =>
  message && fork.forkPoint && fork.forkPoint !== message.id ? shortID(fork.forkPoint) : null
