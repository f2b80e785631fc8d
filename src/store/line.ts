import { setImmediate as nextLoop } from 'node:timers/promises'
import { BoughError } from '../tree/error.ts'
import { isMessageID, type MessageID, parseShortID, type SessionID, shortID } from '../tree/ids.ts'
import { type Line, lengthOf, positionOf, rangesOf } from '../tree/line.ts'
import type { Message } from '../tree/message.ts'
import type { Page } from '../tree/query.ts'
import type { Session } from '../tree/session.ts'
import { addUsage, noUsage, type Usage } from '../tree/usage.ts'
import type { Reader } from './store.ts'

type LineReader = Pick<Reader, 'sessions' | 'messages'>

/** So many messages are read at once; between two such reads the event loop gets its turn. */
const batch = 500

/** A session that is there for people: not unknown, not deleted. */
export async function livingSession(reader: Pick<Reader, 'sessions'>, id: SessionID): Promise<Session> {
  const session = await reader.sessions.get(id)
  if (!session || session.deleted) {
    throw new BoughError('not_found', `There is no session ${id}. "bough ls" lists those there are.`)
  }
  return session
}

/** The messages of a page, oldest first; without a limit all of them. */
export async function readPage(reader: LineReader, id: SessionID, page: Page): Promise<readonly Message[]> {
  const line = await reader.sessions.line(id)
  const end =
    page.before === undefined ? lengthOf(line) : (await onLine(reader, line, page.before)).position - 1
  const start = page.limit === undefined ? 1 : Math.max(end - page.limit + 1, 1)
  return Array.fromAsync(readPositions(reader, line, start, end))
}

/** The messages at positions `from` to `to` of a line, both included, read in pieces. */
export async function* readPositions(
  reader: LineReader,
  line: Line,
  from = 1,
  to = lengthOf(line),
): AsyncIterable<Message> {
  let unbroken = 0
  for (const range of rangesOf(line, from, to)) {
    for (let first = range.from; first <= range.to; first += batch) {
      const last = Math.min(first + batch - 1, range.to)
      const messages = await reader.messages.range({ ...range, from: first, to: last })
      yield* messages
      unbroken += messages.length
      if (unbroken >= batch) {
        await nextLoop()
        unbroken = 0
      }
    }
  }
}

/** A message and where on the line it stands; an error that says which of the two is wrong. */
export async function onLine(
  reader: LineReader,
  line: Line,
  id: MessageID,
): Promise<{ readonly message: Message; readonly position: number }> {
  const message = await reader.messages.get(id)
  if (!message)
    throw new BoughError('not_found', `There is no message ${id}. "bough log" lists a session's messages.`)
  const position = positionOf(line, message.sessionID, message.seq)
  if (position === null) {
    throw new BoughError(
      'not_on_line',
      `Message ${id} is not on that session's line. "bough log" lists those that are.`,
    )
  }
  return { message, position }
}

/** The message on a line that a person means by a whole or shortened id. */
export async function findOnLine(reader: LineReader, line: Line, typed: string): Promise<Message> {
  if (isMessageID(typed)) return (await onLine(reader, line, typed)).message
  const bareID = parseShortID('msg', typed)
  const found: Message[] = []
  for (const range of rangesOf(line, 1, lengthOf(line)))
    found.push(...(await reader.messages.matching(range, bareID)))
  return onlyOne(found, typed, 'message')
}

export async function findSession(reader: Pick<Reader, 'sessions'>, typed: string): Promise<Session> {
  return onlyOne(await reader.sessions.matching(parseShortID('ses', typed)), typed, 'session')
}

/** What was booked on the messages at positions `from` to `to` of a line. */
export async function usageBetween(reader: LineReader, line: Line, from: number, to: number): Promise<Usage> {
  let sum = noUsage
  for (const range of rangesOf(line, from, to)) sum = addUsage(sum, await reader.messages.usage(range))
  return sum
}

function onlyOne<T extends { readonly id: string }>(found: readonly T[], typed: string, what: string): T {
  const [first, ...others] = found
  if (!first)
    throw new BoughError(
      'not_found',
      `There is no ${what} "${typed}" here. "bough ls" and "bough log" list them.`,
    )
  if (others.length > 0) {
    const some = found.slice(0, 5).map((each) => shortID(each.id))
    throw new BoughError(
      'ambiguous_id',
      `"${typed}" fits more than one ${what}: ${some.join(', ')}${found.length > 5 ? ', …' : ''}. Type more of it.`,
    )
  }
  return first
}
