import type { Message } from '../message.ts'
import type { Session } from '../session.ts'
import { jsonDocument } from './json-document.ts'
import { markdownDocument } from './markdown-document.ts'

export type DocumentFormat = 'md' | 'json'

/** A session as a document, in pieces: as Markdown for people, as JSON to be imported elsewhere. */
export const documentText = (
  format: DocumentFormat,
  session: Session,
  messages: AsyncIterable<Message>,
  exported: number,
): AsyncIterable<string> =>
  format === 'json' ? jsonDocument(session, messages, exported) : markdownDocument(session, messages)
