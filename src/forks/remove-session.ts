import { livingSession } from '../store/find.ts'
import type { Store, Transaction } from '../store/store.ts'
import type { SessionID } from '../tree/ids.ts'

/**
 * Deletes a session, also while a turn runs in it: the turn loses its owner and writes nothing more. Where others
 * stand on its messages those stay, under a tombstone; the last of the others takes them along.
 */
export function removeSession(store: Store, id: SessionID): Promise<{ readonly kept: boolean }> {
  return store.transaction(async (tx) => {
    await livingSession(tx, id)
    await tx.turns.removeOf(id)
    await tx.forkSeeds.removeOf(id)
    await tx.owners.removeOf(id)
    await tx.requests.removeOf(id)
    await tx.permissions.removeOf(id)
    await tx.sessions.bury(id)
    tx.record({ kind: 'session.deleted', sessionID: id })
    await freeTombstones(tx, id)
    return { kept: (await tx.sessions.get(id)) !== null }
  })
}

// What a tombstone holds only for itself goes, and then perhaps what those held that it stood on. One whose messages
// nobody needs stays only as the parent that others name; one that nobody names either goes whole.
async function freeTombstones(tx: Transaction, id: SessionID): Promise<void> {
  const waiting = [id]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const tombstone = await tx.sessions.get(next)
    if (!tombstone?.deleted) continue
    const { children, lastNeeded } = await tx.sessions.dependence(next)
    await tx.messages.trim(next, lastNeeded)
    if (lastNeeded > 0) continue
    const stoodOn = tombstone.forkPoint === null ? null : await tx.messages.get(tombstone.forkPoint)
    if (children > 0) await tx.sessions.cutLine(next)
    else await tx.sessions.remove(next)
    if (stoodOn) waiting.push(stoodOn.sessionID)
    if (children === 0 && tombstone.parentID !== null) waiting.push(tombstone.parentID)
  }
}
