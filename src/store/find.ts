import { BoughError } from '../tree/error.ts'
import {
  endOfID,
  isMeantBy,
  isMessageID,
  type MessageID,
  parseShortID,
  type SessionID,
  shortID,
  tooShort,
} from '../tree/ids.ts'
import { type Line, lengthOf, positionOf, rangesOf } from '../tree/line.ts'
import type { Message } from '../tree/message.ts'
import type { Permission } from '../tree/permission.ts'
import type { Schedule } from '../tree/schedule.ts'
import type { Session } from '../tree/session.ts'
import type { Snapshot } from '../tree/snapshot.ts'
import type { Reader } from './store.ts'

// Ids as people and programs give them, and the errors that say what is wrong with them.

/** A session that is there for people: not unknown, not deleted. */
export async function livingSession(reader: Pick<Reader, 'sessions'>, id: SessionID): Promise<Session> {
  const session = await reader.sessions.get(id)
  if (!session || session.deleted) {
    throw new BoughError('not_found', `There is no session ${id}. "bough ls" lists those there are.`)
  }
  return session
}

/** A message and where on the line it stands; an error that says which of the two is wrong. */
export async function onLine(
  reader: Pick<Reader, 'messages'>,
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
export async function findOnLine(
  reader: Pick<Reader, 'messages'>,
  line: Line,
  typed: string,
): Promise<Message> {
  if (isMessageID(typed)) return (await onLine(reader, line, typed)).message
  const bareID = parseShortID('msg', typed)
  const found: Message[] = []
  for (const range of rangesOf(line, 1, lengthOf(line)))
    found.push(...(await reader.messages.matching(range, bareID)))
  return onlyOne(found, { typed, bareID, what: 'message', lister: 'bough log' })
}

export async function findSession(reader: Pick<Reader, 'sessions'>, typed: string): Promise<Session> {
  const bareID = parseShortID('ses', typed)
  const found = await reader.sessions.matching(bareID)
  return onlyOne(found, { typed, bareID, what: 'session', lister: 'bough ls' })
}

export async function findSnapshot(reader: Pick<Reader, 'snapshots'>, typed: string): Promise<Snapshot> {
  const bareID = parseShortID('snp', typed)
  const found = await reader.snapshots.matching(bareID)
  return onlyOne(found, { typed, bareID, what: 'snapshot', lister: 'bough log <session> --json' })
}

/** Something that is still asked. */
export async function findPermission(
  reader: Pick<Reader, 'permissions'>,
  typed: string,
): Promise<Permission> {
  const bareID = parseShortID('per', typed)
  const found = (await reader.permissions.asked()).filter(({ id }) => isMeantBy(bareID, id))
  return onlyOne(found, { typed, bareID, what: 'open question', lister: 'bough approve' })
}

/** One that is over, too: whoever asks for it says so. */
export async function findSchedule(reader: Pick<Reader, 'schedules'>, typed: string): Promise<Schedule> {
  const bareID = parseShortID('sch', typed)
  const found = await reader.schedules.matching(bareID)
  return onlyOne(found, { typed, bareID, what: 'schedule', lister: 'bough routine ls' })
}

interface Wanted {
  readonly typed: string
  readonly bareID: string
  readonly what: string
  /** The command that shows what there is. */
  readonly lister: string
}

function onlyOne<T extends { readonly id: string }>(
  found: readonly T[],
  { typed, bareID, what, lister }: Wanted,
): T {
  const [first, ...others] = found
  if (!first && endOfID(bareID) === null) throw tooShort(typed)
  if (!first)
    throw new BoughError('not_found', `There is no ${what} "${typed}" here. "${lister}" lists them.`)
  if (others.length > 0) {
    const some = found.slice(0, 5).map((each) => shortID(each.id))
    const more = found.length > 5 ? ', …' : ''
    throw new BoughError(
      'ambiguous_id',
      `"${typed}" fits more than one ${what}: ${some.join(', ')}${more}. Type more of it.`,
    )
  }
  return first
}
