import type { Bough } from '../../bough.ts'
import { forkWords } from '../../tree/drawn/fork-words.ts'
import { BoughError } from '../../tree/error.ts'
import { type SessionID, shortID } from '../../tree/ids.ts'
import { plainText } from '../../tree/plain-text.ts'
import type { Session } from '../../tree/session.ts'
import type { RunOptions, SideFork } from '../../tree/side-fork.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { Interrupt } from '../interrupt.ts'
import { printJson } from '../json.ts'
import { announce } from '../permission-question.ts'
import { withProgress } from '../progress.ts'
import { spawnDaemon } from './spawn-daemon.ts'
import { untilSeen } from './until-seen.ts'

export interface RunWishes extends RunOptions {
  /** Whether the command ends only when the run does. */
  readonly wait: boolean
}

/** Starts an unattended fork of a session's conversation and prints its id, or how it went. */
export async function runInBackground(
  context: Context,
  bough: Bough,
  session: Session,
  prompt: string,
  { wait, ...options }: RunWishes,
): Promise<ExitCode> {
  const { args, out } = context
  const started = await bough.runBackground(session.id, prompt, options)
  spawnDaemon(context)
  const json = args.flag('json')
  if (!json) out.line(started.sessionID)
  const run = wait ? await watchRun(context, bough, started.sessionID) : started
  if (json) printJson(out, run)
  else if (wait && run.state === 'ended') {
    out.line(endWords(run))
    const left = await leftWords(bough, run)
    if (left !== null) out.line(left)
  }
  if (!wait) return 0
  if (run.state === 'open') return 130
  return run.outcome === 'failed' || run.outcome === 'timed-out' ? 1 : 0
}

// The run is another process's: Ctrl-C only ends the watching.
async function watchRun(context: Context, bough: Bough, id: SessionID): Promise<SideFork> {
  const interrupt = Interrupt.listen()
  const { err } = context
  const ask = announce(context)
  try {
    const ended = untilSeen(bough, interrupt.signal, async (event) => {
      if (event?.kind === 'permission.asked' && event.sessionID === id) {
        const asked = (await bough.permissions()).find((each) => each.id === event.subjectID)
        if (asked) await ask(asked, interrupt.signal)
      }
      const run = await stateOf(bough, id)
      return run.state === 'ended' ? run : null
    })
    const run = await withProgress(err, 'it runs in the background', ended)
    if (run) return run
    err.line('bough: it goes on in the background; "bough runs" shows how.')
    return await stateOf(bough, id)
  } finally {
    interrupt.stop()
  }
}

async function stateOf(bough: Bough, id: SessionID): Promise<SideFork> {
  const run = await bough.sideFork(id)
  if (run) return run
  throw new BoughError('not_found', `The run ${shortID(id)} was deleted.`)
}

/** Which files it has changed, and where, as the chat is told; null where it changed none. */
async function leftWords(bough: Bough, { channelID, sessionID }: SideFork): Promise<string | null> {
  const end = (await bough.sent(channelID)).findLast(
    (sent) => sent.sessionID === sessionID && sent.what.kind === 'ended',
  )
  return end?.what.kind === 'ended' ? plainText(end.what.words) : null
}

const endWords = (run: SideFork): string => {
  const words = forkWords(run)
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}. "bough log ${shortID(run.sessionID)}" shows what it did.`
}
