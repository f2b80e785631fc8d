import type { Bough } from '../../bough.ts'
import type { Message } from '../../tree/message.ts'
import type { Reopened } from '../../tree/native.ts'
import type { Session } from '../../tree/session.ts'
import { costSentence } from '../../tree/usage-words.ts'
import { type Address, findAddress, lineTo } from '../address.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { LogFollower } from '../follow-log.ts'
import { printJsonArray } from '../json.ts'
import { showMessage } from '../message-view.ts'
import type { Output } from '../output.ts'
import { mostOfSeed, reopenedLines } from '../reopened-view.ts'
import { openLive } from '../server/open-live.ts'
import { UsageError } from '../usage-error.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args, out, open } = context
  const limit = args.count('limit')
  if (args.flag('follow')) return follow(context, limit)
  const bough = await open()
  const address = await findAddress(bough, args.word('session'))
  const messages = limit === undefined ? lineTo(bough, address) : newest(bough, address, limit)
  const isOpen = address.message === null
  if (args.flag('json')) {
    if (isOpen) await bough.reopen(address.session.id)
    await printJsonArray(out, messages)
  } else {
    const last = await print(out, messages, address.session)
    if (!last) out.line('No messages yet.')
    if (isOpen && !out.closed) await printReopened(context, bough, address.session, last)
    printCost(out, await bough.session(address.session.id))
  }
  return 0
}

/** The log, and then what happens. A turn that runs already is left to who shows it live. */
async function follow(context: Context, limit: number | undefined): Promise<ExitCode> {
  const { args, out } = context
  const typed = args.word('session')
  if (typed.includes('@'))
    throw new UsageError('--follow goes on after the newest message. Leave out the message, or --follow.')
  const { bough, session } = await openLive(context, (each) => each.findSession(typed), { isWatched: true })
  const follower = new LogFollower(context, bough, session, { asJson: args.flag('json') })
  const running = await bough.follow(session.id)
  const messages = before(bough, session, running?.prompt, limit)
  if (args.flag('json')) for await (const message of messages) follower.show(message)
  else {
    const last = await print(out, messages, session)
    if (last) follower.seen(last)
  }
  const reopened = await bough.reopen(session.id)
  if (!args.flag('json')) printLines(context, session, reopened)
  return follower.follow()
}

async function* newest(bough: Bough, { session, message }: Address, limit: number): AsyncIterable<Message> {
  if (!message) yield* await bough.messages(session.id, { limit })
  else {
    if (limit > 1) yield* await bough.messages(session.id, { limit: limit - 1, before: message.id })
    yield message
  }
}

// Without a prompt, up to what there was when the session was read: a turn that began since is not cut in two.
async function* before(
  bough: Bough,
  session: Session,
  prompt: Message | undefined,
  limit: number | undefined,
): AsyncIterable<Message> {
  const line =
    limit === undefined
      ? bough.line(session.id)
      : await bough.messages(session.id, { limit, ...(prompt && { before: prompt.id }) })
  for await (const message of line) {
    const isLater = message.sessionID === session.id && message.seq > session.messages
    if (isLater || message.id === prompt?.id) return
    yield message
  }
}

/** What was said in the agent's own tool since, and what stands only in its own history. */
async function printReopened(
  context: Context,
  bough: Bough,
  session: Session,
  last: Message | undefined,
): Promise<void> {
  const { out } = context
  const reopened = await bough.reopen(session.id)
  printLines(context, session, reopened)
  if (reopened.added === 0) return
  const view = { now: Date.now(), paint: out.paint }
  for await (const message of bough.line(session.id)) {
    if (message.sessionID !== session.id || message.seq <= (last?.sessionID === session.id ? last.seq : 0))
      continue
    out.line(`\n${showMessage(message, view)}`)
  }
}

function printLines({ args, out }: Context, session: Session, reopened: Reopened): void {
  const most = args.flag('seed') ? Number.POSITIVE_INFINITY : mostOfSeed
  const view = { now: Date.now(), paint: out.paint, most }
  for (const line of reopenedLines(session, reopened, view)) out.line(`\n${line}`)
}

function printCost(out: Output, { cost }: Session): void {
  const words = costSentence(cost)
  if (words !== '') out.line(out.paint('dim', `\n${words}`))
}

async function print(
  out: Output,
  messages: AsyncIterable<Message>,
  session: Session,
): Promise<Message | undefined> {
  const view = { now: Date.now(), paint: out.paint }
  let last: Message | undefined
  for await (const message of messages) {
    if (out.closed) return last
    if (last) out.line()
    if (last && last.sessionID !== message.sessionID && message.sessionID === session.id)
      out.line(out.paint('dim', '── the fork begins here ──\n'))
    out.line(showMessage(message, view))
    last = message
    await out.drained()
  }
  return last
}
