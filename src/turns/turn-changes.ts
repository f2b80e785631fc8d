import { readPositions } from '../store/line.ts'
import type { Reader } from '../store/store.ts'
import type { MessageID } from '../tree/ids.ts'
import type { Message } from '../tree/message.ts'
import type { Snapshot } from '../tree/snapshot.ts'
import { type Difference, differencesAt } from '../workspace/restore/tree-entries.ts'
import { inShadow } from '../workspace/shadow/in-shadow.ts'
import { Shadow } from '../workspace/shadow/shadow.ts'

// A turn changed what differs between the snapshot at its prompt and the one at its last message. What the person changes
// while a turn runs cannot be told from that.

/** The snapshots at both ends of a turn. */
export interface TurnFiles {
  readonly from: Snapshot
  readonly to: Snapshot
}

/** The snapshots at both ends of the turn that a prompt began; null where one was not taken, or its files are cleaned up. */
export async function filesOfTurn(store: Reader, promptID: MessageID): Promise<TurnFiles | null> {
  const prompt = await store.messages.get(promptID)
  const session = prompt && (await store.sessions.get(prompt.sessionID))
  if (!prompt || !session) return null
  const own = [{ sessionID: session.id, last: session.messages }]
  let last = prompt
  for await (const message of readPositions(store, own, prompt.seq + 1)) {
    if (message.role === 'user') break
    last = message
  }
  return filesBetween(store, prompt, last)
}

/** The same, of a turn whose first and last message are known. */
export async function filesBetween(store: Reader, prompt: Message, last: Message): Promise<TurnFiles | null> {
  if (prompt.snapshot === null || last.snapshot === null || prompt.id === last.id) return null
  const [from, to] = [await store.snapshots.get(prompt.snapshot), await store.snapshots.get(last.snapshot)]
  if (!from || !to || from.freed || to.freed || from.projectID !== to.projectID) return null
  return { from, to }
}

/** How the files differ between two states in one shadow. */
export async function changesBetween(
  dataDirectory: string,
  from: Pick<Snapshot, 'projectID' | 'tree'>,
  to: Pick<Snapshot, 'tree'>,
): Promise<readonly Difference[]> {
  if (from.tree === to.tree) return []
  const place = inShadow(Shadow.directoryOf(dataDirectory, { id: from.projectID }))
  return differencesAt(place, from.tree, to.tree)
}
