import type { Bough } from '../../bough.ts'
import type { Message } from '../../tree/message.ts'
import { type Address, findAddress } from '../address.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { costSentence } from '../cost-words.ts'
import { printJsonArray } from '../json.ts'
import { showMessage } from '../message-view.ts'
import type { Output } from '../output.ts'

export async function run({ args, out, open }: Context): Promise<ExitCode> {
  const limit = args.count('limit')
  const bough = await open()
  const address = await findAddress(bough, args.word('session'))
  const messages = limit === undefined ? wholeLine(bough, address) : newest(bough, address, limit)
  if (args.flag('json')) await printJsonArray(out, messages)
  else await print(out, messages, address)
  return 0
}

async function* wholeLine(bough: Bough, { session, message }: Address): AsyncIterable<Message> {
  for await (const next of bough.line(session.id)) {
    yield next
    if (next.id === message?.id) return
  }
}

async function* newest(bough: Bough, { session, message }: Address, limit: number): AsyncIterable<Message> {
  if (!message) yield* await bough.messages(session.id, { limit })
  else {
    if (limit > 1) yield* await bough.messages(session.id, { limit: limit - 1, before: message.id })
    yield message
  }
}

async function print(out: Output, messages: AsyncIterable<Message>, { session }: Address): Promise<void> {
  const view = { now: Date.now(), paint: out.paint }
  let last: Message | undefined
  for await (const message of messages) {
    if (out.closed) return
    if (last) out.line()
    if (last && last.sessionID !== message.sessionID && message.sessionID === session.id)
      out.line(out.paint('dim', '── the fork begins here ──\n'))
    out.line(showMessage(message, view))
    last = message
    await out.drained()
  }
  if (!last) out.line('No messages yet.')
  const cost = costSentence(session.cost)
  if (cost !== '') out.line(out.paint('dim', `\n${cost}`))
}
