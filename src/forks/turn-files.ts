import { livingSession, onLine } from '../store/find.ts'
import { readBackwards, readPositions, snapshotAt } from '../store/line.ts'
import type { Store } from '../store/store.ts'
import { BoughError } from '../tree/error.ts'
import type { MessageID, SessionID } from '../tree/ids.ts'
import { lengthOf } from '../tree/line.ts'
import type { Message } from '../tree/message.ts'
import type { Snapshot } from '../tree/snapshot.ts'

/** The snapshots at both ends of the turn that a message belongs to; without a message, of the last turn. */
export async function snapshotsOfTurn(
  store: Store,
  sessionID: SessionID,
  messageID?: MessageID,
): Promise<{ readonly from: Snapshot; readonly to: Snapshot }> {
  await livingSession(store, sessionID)
  const line = await store.sessions.line(sessionID)
  const length = lengthOf(line)
  const at = messageID === undefined ? length : (await onLine(store, line, messageID)).position

  const prompt = await lastPrompt(readBackwards(store, line, at))
  if (!prompt) throw new BoughError('not_found', 'Nothing was asked here yet, so no turn changed any files.')

  let last = prompt
  const from = (await onLine(store, line, prompt.id)).position
  for await (const message of readPositions(store, line, from + 1)) {
    if (message.role === 'user') break
    last = message
  }
  return { from: await captured(store, prompt.snapshot), to: await captured(store, last.snapshot) }
}

async function lastPrompt(backwards: AsyncIterable<Message>): Promise<Message | null> {
  for await (const message of backwards) if (message.role === 'user') return message
  return null
}

async function captured(store: Store, id: Snapshot['id'] | null): Promise<Snapshot> {
  const snapshot = id && (await store.snapshots.get(id))
  if (snapshot) return snapshot
  throw new BoughError(
    'not_found',
    'The files were not captured at both ends of that turn: it was cut off, or still runs.',
  )
}

/** The files of a session as they were captured last. */
export async function headSnapshot(store: Store, id: SessionID): Promise<Snapshot> {
  const line = await store.sessions.line(id)
  const found = await snapshotAt(store, line, lengthOf(line))
  if (found) return found.snapshot
  throw new BoughError('not_found', `The files of ${id} were never captured: no turn has run there.`)
}
