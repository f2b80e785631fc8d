import { setTimeout as pause } from 'node:timers/promises'
import { livingSession } from '../store/find.ts'
import type { Store, Transaction } from '../store/store.ts'
import { BoughError } from '../tree/error.ts'
import type { Clock, Ids, SessionID } from '../tree/ids.ts'
import type { NewMessage } from '../tree/message.ts'
import type { NewSession, Session } from '../tree/session.ts'

// A long conversation takes seconds to store, and nobody may wait for the store that long. So it is stored in pieces, in
// a session that is a tombstone until the last of them is there: nobody sees a tombstone that nobody stands on. What a
// process that was killed leaves is such a tombstone, which cleaning up knows by its age (forks/collect-garbage.ts).

export interface FillParts {
  readonly store: Store
  readonly ids: Ids
  readonly clock: Clock
}

export interface FillOptions {
  /** The native session that it goes on in, and what that was like. */
  readonly native?: { readonly nativeID: string; readonly version: string }
  /** When something was last said in it; absent: now. */
  readonly updated?: number
  /** Gives it up: nothing of it stays. */
  readonly signal?: AbortSignal
}

/** So much is stored at once: few milliseconds. */
const mostMessages = 100
const mostCharacters = 500_000
/** Between two pieces, so that others get their turn at the store. */
const rest = 5

/** Stores a session together with messages that were said elsewhere. */
export async function fillSession(
  parts: FillParts,
  session: NewSession,
  messages: readonly Omit<NewMessage, 'id'>[],
  { native, updated, signal }: FillOptions,
): Promise<Session> {
  const { store, clock, ids } = parts
  const { id } = session
  await store.transaction(async (tx) => {
    await mustHaveParent(tx, session)
    await tx.sessions.insert(session)
    await tx.sessions.bury(id)
    await tx.sessions.touch(id, clock())
  }, 'relaxed')
  try {
    for (const [i, piece] of [...piecesOf(messages)].entries()) {
      if (i > 0) await pause(rest)
      signal?.throwIfAborted()
      await append(
        parts,
        id,
        piece.map((message) => ({ ...message, id: ids.message() })),
      )
    }
    signal?.throwIfAborted()
    const other = await store.transaction(async (tx) => {
      // Somebody else was quicker with the same.
      const bound = native && (await tx.sessions.boundTo(session.agent, native.nativeID))
      if (bound) return bound
      await mustBeThere(tx, id)
      await tx.sessions.unbury(id)
      await tx.sessions.touch(id, updated ?? clock())
      if (native) {
        await tx.sessions.bindNative(id, native.nativeID)
        await tx.sessions.noteNative(id, native.version)
      }
      // No event for each message: nobody could know of them before the session itself is told.
      tx.record({ kind: 'session.created', sessionID: id })
      return null
    })
    if (other) await removeHidden(store, id)
    return await livingSession(store, other ?? id)
  } catch (error) {
    await removeHidden(store, id)
    throw error
  }
}

// From here on the messages that it stands on stay, whatever becomes of the session that has them.
async function mustHaveParent(tx: Transaction, { parentID }: NewSession): Promise<void> {
  const parent = parentID && (await tx.sessions.get(parentID))
  if (parentID !== null && (!parent || parent.deleted))
    throw new BoughError(
      'not_found',
      'The session that it is a fork of was deleted just now. Import it again.',
    )
}

/** Removes a session that was never finished, unless it was at this moment. */
export const removeHidden = (store: Store, id: SessionID): Promise<void> =>
  store.transaction(async (tx) => {
    if (!(await tx.sessions.get(id))?.deleted) return
    await tx.messages.trim(id, 0)
    await tx.sessions.remove(id)
  })

async function append(
  { store, clock }: FillParts,
  id: SessionID,
  messages: readonly NewMessage[],
): Promise<void> {
  await store.transaction(async (tx) => {
    await mustBeThere(tx, id)
    await tx.messages.append(id, messages)
    await tx.sessions.touch(id, clock())
  }, 'relaxed')
}

// A process that slept too long finds its session cleaned up, as one that was left.
async function mustBeThere(tx: Transaction, id: SessionID): Promise<void> {
  if (!(await tx.sessions.get(id)))
    throw new BoughError('ownership_lost', 'The import stood still for too long. Import it again.')
}

/** Few enough messages, and small enough ones, to be stored in a moment; a long message is a piece of its own. */
function* piecesOf<M extends Pick<NewMessage, 'parts'>>(messages: readonly M[]): Iterable<readonly M[]> {
  let piece: M[] = []
  let characters = 0
  for (const message of messages) {
    const length = JSON.stringify(message.parts).length
    if (piece.length === mostMessages || (piece.length > 0 && characters + length > mostCharacters)) {
      yield piece
      piece = []
      characters = 0
    }
    piece.push(message)
    characters += length
  }
  if (piece.length > 0) yield piece
}
