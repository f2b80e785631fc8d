import { onLine } from '../store/find.ts'
import type { Reader } from '../store/store.ts'
import { BoughError } from '../tree/error.ts'
import type { MessageID, SessionID } from '../tree/ids.ts'
import { type Line, lengthOf, rangesOf } from '../tree/line.ts'
import type { ToolCallPart } from '../tree/message.ts'
import type { Session } from '../tree/session.ts'
import { mayBeInGroup, openCallsAfter } from '../tree/tool-group.ts'

export interface WantedPoint {
  /** Absent: at the head. */
  readonly messageID?: MessageID
  /** At the message before it. */
  readonly before?: boolean
}

const batch = 20

/** The message where a fork of a session begins, or null for before the first; an error where none can. */
export async function forkPointOf(
  reader: Reader,
  parent: Session,
  wanted: WantedPoint,
): Promise<MessageID | null> {
  const line = await reader.sessions.line(parent.id)
  const position = (await wantedPosition(reader, parent, line, wanted)) - (wanted.before ? 1 : 0)
  const [at] = rangesOf(line, position, position)
  if (!at) return null
  const last = line.find((segment) => segment.sessionID === at.sessionID)?.last ?? at.to
  return endOfGroup(reader, at.sessionID, at.to, last)
}

async function wantedPosition(
  reader: Reader,
  parent: Session,
  line: Line,
  wanted: WantedPoint,
): Promise<number> {
  const turn = await reader.turns.running(parent.id)
  if (wanted.messageID === undefined) {
    if (wanted.before)
      throw new BoughError('bad_input', 'Before which message? Name it: <session>@<message>.')
    if (turn) {
      throw new BoughError(
        'session_busy',
        'A turn is running there. Wait for its end, or fork at an earlier message: <session>@<message>.',
      )
    }
    return lengthOf(line)
  }
  if (turn?.draft?.messageID === wanted.messageID) throw unfinished(wanted.messageID)
  return (await onLine(reader, line, wanted.messageID)).position
}

// From the beginning of the group that message `seq` stands in, forward until no call is open.
async function endOfGroup(
  reader: Reader,
  sessionID: SessionID,
  seq: number,
  last: number,
): Promise<MessageID> {
  const [message] = await reader.messages.range({ sessionID, from: seq, to: seq })
  if (!message)
    throw new BoughError('not_found', `Message ${seq} of ${sessionID} is gone. Fork at another one.`)
  if (!mayBeInGroup(message)) return message.id

  let open: readonly ToolCallPart[] = []
  for (let from = await reader.messages.groupStart(sessionID, seq); from <= last; from += batch) {
    for (const next of await reader.messages.range({
      sessionID,
      from,
      to: Math.min(from + batch - 1, last),
    })) {
      open = openCallsAfter(open, next.parts)
      if (open.length === 0 && next.seq >= seq) return next.id
    }
  }
  throw unfinished(message.id)
}

const unfinished = (id: MessageID): BoughError =>
  new BoughError(
    'message_unfinished',
    `Message ${id} is not finished yet. Wait for it, or fork at an earlier one.`,
  )
