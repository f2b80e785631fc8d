import type { Bough } from '../../bough.ts'
import type { Message } from '../../tree/message.ts'
import type { Session } from '../../tree/session.ts'
import { type Address, findAddress, lineTo } from '../address.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { costSentence } from '../cost-words.ts'
import { printJsonArray } from '../json.ts'
import { showMessage } from '../message-view.ts'
import type { Output } from '../output.ts'
import { mostOfSeed, reopenedLines } from '../reopened-view.ts'

export async function run({ args, out, open }: Context): Promise<ExitCode> {
  const limit = args.count('limit')
  const bough = await open()
  const address = await findAddress(bough, args.word('session'))
  const messages = limit === undefined ? lineTo(bough, address) : newest(bough, address, limit)
  const isOpen = address.message === null
  if (args.flag('json')) {
    if (isOpen) await bough.reopen(address.session.id)
    await printJsonArray(out, messages)
  } else {
    const last = await print(out, messages, address)
    const most = args.flag('seed') ? Number.POSITIVE_INFINITY : mostOfSeed
    if (isOpen && !out.closed) await printReopened(out, bough, address.session, last, most)
    printCost(out, await bough.session(address.session.id))
  }
  return 0
}

async function* newest(bough: Bough, { session, message }: Address, limit: number): AsyncIterable<Message> {
  if (!message) yield* await bough.messages(session.id, { limit })
  else {
    if (limit > 1) yield* await bough.messages(session.id, { limit: limit - 1, before: message.id })
    yield message
  }
}

/** What was said in the agent's own tool since, and what stands only in its own history. */
async function printReopened(
  out: Output,
  bough: Bough,
  session: Session,
  last: Message | undefined,
  most: number,
): Promise<void> {
  const reopened = await bough.reopen(session.id)
  const view = { now: Date.now(), paint: out.paint }
  for (const line of reopenedLines(session, reopened, { ...view, most })) out.line(`\n${line}`)
  if (reopened.added === 0) return
  for await (const message of bough.line(session.id)) {
    if (message.sessionID !== session.id || message.seq <= (last?.sessionID === session.id ? last.seq : 0))
      continue
    out.line(`\n${showMessage(message, view)}`)
  }
}

function printCost(out: Output, { cost }: Session): void {
  const words = costSentence(cost)
  if (words !== '') out.line(out.paint('dim', `\n${words}`))
}

async function print(
  out: Output,
  messages: AsyncIterable<Message>,
  { session }: Address,
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
  if (!last) out.line('No messages yet.')
  return last
}
