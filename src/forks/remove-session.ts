import { livingSession } from '../store/find.ts'
import type { Store, Transaction } from '../store/store.ts'
import type { SessionID } from '../tree/ids.ts'

export interface RemovedSession {
  /** A tombstone stays. */
  readonly kept: boolean
  /** Background runs that have ended with their channel: what still goes on in them is to be stopped. */
  readonly endedRuns: readonly SessionID[]
}

/**
 * Deletes a session, also while a turn runs in it: the turn loses its owner and writes nothing more. Where others
 * stand on its messages those stay, under a tombstone; the last of the others takes them along.
 */
export function removeSession(store: Store, id: SessionID, now: number): Promise<RemovedSession> {
  return store.transaction(async (tx) => {
    await livingSession(tx, id)
    await tx.turns.removeOf(id)
    await tx.forkSeeds.removeOf(id)
    await tx.owners.removeOf(id)
    await tx.requests.removeOf(id)
    await tx.permissions.removeOf(id)
    await tx.sideForks.removeOf(id)
    const endedRuns = await leaveChannels(tx, id, now)
    await tx.sessions.bury(id)
    tx.record({ kind: 'session.deleted', sessionID: id })
    await freeTombstones(tx, id)
    return { kept: (await tx.sessions.get(id)) !== null, endedRuns }
  })
}

// A channel without a main is none: its front end makes a new one.
async function leaveChannels(tx: Transaction, id: SessionID, now: number): Promise<readonly SessionID[]> {
  const endedRuns: SessionID[] = []
  for (const channel of await tx.channels.withMain(id)) {
    for (const schedule of await tx.schedules.list(channel.id))
      await tx.schedules.move(schedule.id, 'active', 'cancelled', null)
    for (const item of await tx.inbox.open(channel.id))
      await tx.inbox.end(item.id, 'failed', 'The main conversation was deleted.')
    for (const fork of await tx.sideForks.list({ channelID: channel.id, state: 'open' })) {
      await tx.sideForks.end(fork.sessionID, 'discarded', 'The main conversation was deleted.', now)
      tx.record({ kind: 'fork.ended', sessionID: fork.sessionID, subjectID: channel.id })
      if (fork.kind === 'background') endedRuns.push(fork.sessionID)
    }
    await tx.outbox.removeOf(channel.id)
    await tx.updates.removeOf(channel.id)
    await tx.links.removeOf(channel.id)
    await tx.channels.remove(channel.id)
  }
  return endedRuns
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
