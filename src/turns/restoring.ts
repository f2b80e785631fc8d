import { realpath } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { livenessOf } from '../process-identity.ts'
import type { Reader, Transaction } from '../store/store.ts'
import { BoughError } from '../tree/error.ts'
import type { TurnID } from '../tree/ids.ts'
import type { Restore } from '../tree/restore.ts'
import { isWithin } from './real-path.ts'

// A turn and a restore never work in the same files at once. Each looks first, which may take a while, and then makes
// sure, in the transaction that begins it, that nothing has begun since it looked. Where something has, perhaps in other
// files, it looks again.

/** Throws in a transaction when something has begun since. */
export type StillFree = (tx: Transaction) => Promise<void>

class BegunSince extends Error {}

/** Looks, and begins something with what it saw: again and again, until nothing else begins meanwhile. */
export async function onceFree<L, T>(look: () => Promise<L>, begin: (seen: L) => Promise<T>): Promise<T> {
  for (;;) {
    const seen = await look()
    try {
      return await begin(seen)
    } catch (error) {
      if (!(error instanceof BegunSince)) throw error
    }
  }
}

/** Refuses where files are being put back now; tells of a restore there that was left half done. */
export async function mustNotBeRestoring(
  reader: Pick<Reader, 'restores'>,
  directory: string,
): Promise<{ readonly stillFree: StillFree; readonly halfDone: Restore | null }> {
  const seen = await reader.restores.unfinished()
  const real = await realpath(directory).catch(() => directory)
  const here = seen.filter(({ root }) => overlap(root, real))
  const busy = here.find((restore) => !isHalfDone(restore))
  if (busy) throw restoring(busy.root)
  const stillFree: StillFree = async (tx) => {
    const now = await tx.restores.unfinished()
    // One that was half done is going on by now, where its row is another.
    if (now.some((each) => !seen.some((known) => isDeepStrictEqual(known, each)))) throw new BegunSince()
  }
  return { stillFree, halfDone: here[0] ?? null }
}

/** Refuses where a turn runs now. */
export async function mustNotRunTurn(reader: Pick<Reader, 'turns'>, root: string): Promise<StillFree> {
  const seen = await reader.turns.since(Number.MAX_SAFE_INTEGER)
  if ((await turnsIn(root, seen)).length > 0) throw turnRuns(root)
  return async (tx) => {
    const known = new Set<TurnID>(seen.map(({ id }) => id))
    const begun = await tx.turns.since(Number.MAX_SAFE_INTEGER)
    if (begun.some(({ id }) => !known.has(id))) throw new BegunSince()
  }
}

/** Which turns work in the files at a root, or in files that those are a part of. */
export async function turnsIn(
  root: string,
  turns: readonly { readonly id: TurnID; readonly directory: string }[],
): Promise<readonly TurnID[]> {
  const found: TurnID[] = []
  for (const { id, directory } of turns) {
    if (overlap(root, await realpath(directory).catch(() => directory))) found.push(id)
  }
  return found
}

/** Its process is gone, or gave up. */
export const isHalfDone = ({ state, process }: Restore): boolean =>
  state === 'half' || (state === 'running' && livenessOf(process) !== 'alive')

const overlap = (a: string, b: string): boolean => isWithin(a, b) || isWithin(b, a)

const restoring = (root: string): BoughError =>
  new BoughError('session_busy', `Files are being put back in ${root}. Try again when that is done.`)

const turnRuns = (root: string): BoughError =>
  new BoughError(
    'session_busy',
    `A turn is running in ${root}. Wait for its end, or fork into a worktree (--files worktree).`,
  )
