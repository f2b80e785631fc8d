import { toJson } from '../json-text.ts'
import type { Message } from '../message.ts'
import type { Session } from '../session.ts'
import type { DocumentMessage, SessionDocument } from '../session-document.ts'

/** A session as a JSON document, in pieces, a line for each message. */
export async function* jsonDocument(
  { id, title, agent, model, directory, labels, created, updated }: Session,
  messages: AsyncIterable<Message>,
  exported: number,
): AsyncIterable<string> {
  const head: Omit<SessionDocument, 'messages'> = {
    format: 'bough.session',
    version: 1,
    exported,
    session: { id, title, agent, model, directory, labels, created, updated },
  }
  yield `${toJson(head).replace(/\n\}$/, '')},\n  "messages": [`
  let separator = '\n'
  for await (const message of messages) {
    yield `${separator}    ${toJson(documentMessage(message), 0)}`
    separator = ',\n'
  }
  yield separator === '\n' ? ']\n}\n' : '\n  ]\n}\n'
}

const documentMessage = ({ id, role, status, parts, created, usage }: Message): DocumentMessage => ({
  id,
  role,
  status,
  parts,
  created,
  usage,
})
