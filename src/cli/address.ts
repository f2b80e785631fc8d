import type { Bough } from '../bough.ts'
import type { Message } from '../tree/message.ts'
import type { Session } from '../tree/session.ts'
import { UsageError } from './usage-error.ts'

/** A session, and a message on its line where one was named. */
export interface Address {
  readonly session: Session
  readonly message: Message | null
}

/** Finds what `<session>` or `<session>@<message>` names, ids whole or shortened. */
export async function findAddress(bough: Bough, typed: string): Promise<Address> {
  const at = typed.indexOf('@')
  if (at === -1) return { session: await bough.findSession(typed), message: null }
  const [session, message] = [typed.slice(0, at), typed.slice(at + 1)]
  if (session === '' || message === '')
    throw new UsageError(`"${typed}" names no message. Write it as <session>@<message>.`)
  const found = await bough.findSession(session)
  return { session: found, message: await bough.findMessage(found.id, message) }
}

/** The line of a session up to the message that was named, or all of it. */
export async function* lineTo(bough: Bough, { session, message }: Address): AsyncIterable<Message> {
  for await (const next of bough.line(session.id)) {
    yield next
    if (next.id === message?.id) return
  }
}
