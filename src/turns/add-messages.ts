import type { Transaction } from '../store/store.ts'
import type { SessionID } from '../tree/ids.ts'
import type { Message, NewMessage } from '../tree/message.ts'

/** Puts messages at the end of a session, and tells whoever watches it. */
export async function addMessages(
  tx: Transaction,
  sessionID: SessionID,
  messages: readonly NewMessage[],
): Promise<readonly Message[]> {
  const stored = await tx.messages.append(sessionID, messages)
  for (const { id } of stored) tx.record({ kind: 'message.added', sessionID, subjectID: id })
  return stored
}
