import { livingSession } from '../store/find.ts'
import type { Store, Transaction } from '../store/store.ts'
import { messageOf } from '../tree/error.ts'
import type { Message } from '../tree/message.ts'
import { missingWords } from '../tree/snapshot.ts'
import type { RunningTurn } from './running-turn.ts'
import type { Snapshots } from './snapshots.ts'

/** Takes the snapshot of the files at a message of a turn; where that fails, the turn goes on without. */
export async function takeSnapshot(
  { store, snapshots }: { readonly store: Store; readonly snapshots: Snapshots },
  turn: RunningTurn,
  { id: messageID }: Message,
  fence: (tx: Transaction) => Promise<void>,
): Promise<void> {
  if (!turn.capturesFiles) return
  // The first of a turn looks at everything: nobody knows what happened before it.
  const { paths } = turn.touched
  const touched = turn.found && paths ? { since: turn.found.tree, paths } : null
  const at = { messageID, turnID: turn.id, since: turn.prompt.created, touched, fence }
  const tell = (text: string) => turn.events.emit({ type: 'notice', text })
  try {
    const { directory } = await livingSession(store, turn.sessionID)
    const snapshot = await snapshots.take(directory, at)
    turn.found ??= snapshot
    const { missing } = snapshot
    if (missing.length > 0) tell(`Not in the snapshot of the files: ${missingWords(missing)}.`)
  } catch (error) {
    // A fork from here will have to say so again.
    turn.capturesFiles = false
    tell(`No snapshot of the files was taken. ${messageOf(error)}`)
  }
}
