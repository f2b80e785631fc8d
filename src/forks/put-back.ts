import { isDeepStrictEqual } from 'node:util'
import type { Store, Transaction } from '../store/store.ts'
import { BoughError, messageOf } from '../tree/error.ts'
import type { Left } from '../tree/files-mode.ts'
import type { Clock, Ids, RestoreID } from '../tree/ids.ts'
import type { ProcessIdentity } from '../tree/owner.ts'
import type { Restore, Restored } from '../tree/restore.ts'
import type { Snapshot } from '../tree/snapshot.ts'
import { mustNotBeRemoved } from '../turns/must-not-be-removed.ts'
import { mustNotBeRestoring, mustNotRunTurn, onceFree, type StillFree } from '../turns/restoring.ts'
import type { Snapshots } from '../turns/snapshots.ts'
import type { Captured } from '../workspace/capture/capture-project.ts'
import { applyRestore, treeForUndo } from '../workspace/restore/restore-files.ts'
import { planRestore, type RestorePlan } from '../workspace/restore/restore-plan.ts'

export interface PutBackParts {
  readonly store: Store
  readonly ids: Ids
  readonly clock: Clock
  readonly snapshots: Snapshots
  readonly process: ProcessIdentity
}

/** Which files: all of a snapshot, or only those that another restore changed, whatever was ignored. */
export interface Scope {
  readonly only?: readonly string[]
}

/** Finds out what to put back once the files of now are captured. */
export type Aim = (captured: Captured) => Promise<
  Scope & {
    readonly target: Snapshot
    /** Makes the target known, where it is new. */
    put(tx: Transaction): Promise<void>
  }
>

export interface PutBackOptions<T> extends Scope {
  /** A restore that was left half done and goes on now, to its end or back. */
  readonly resumes?: Restore
  readonly undoes?: RestoreID
  /** Gives it up, as long as no file has changed. */
  readonly signal?: AbortSignal
  /** Stored together with the end of the restore. */
  whenDone(tx: Transaction, restored: Restored): Promise<T>
}

/** What putting a directory's files back to a snapshot would change. */
export function planToPutBack(
  { snapshots }: Pick<PutBackParts, 'snapshots'>,
  directory: string,
  wanted: Snapshot | Aim,
  scope: Scope = {},
): Promise<Restored> {
  return snapshots.withCapture(directory, async (captured) => {
    const { target, ...found } = await aimOf(wanted, scope)(captured)
    const { changes, left } = await plan(captured, target, found)
    return { root: captured.root, changes, left, before: null }
  })
}

/**
 * Puts a directory's files back to a snapshot. First everything that this replaces is saved and the restore is noted, so
 * that one which is cut off can be finished or undone; no turn runs there meanwhile.
 */
export function putBack<T>(
  parts: PutBackParts,
  directory: string,
  wanted: Snapshot | Aim,
  options: PutBackOptions<T>,
): Promise<{ readonly made: T; readonly restored: Restored }> {
  const { store, snapshots, process } = parts
  return snapshots.withCapture(directory, async (captured) => {
    const { root } = captured
    const look = async (): Promise<StillFree> => {
      const noTurn = await mustNotRunTurn(store, root)
      const { stillFree: noRestore, halfDone } = await mustNotBeRestoring(store, root)
      if (halfDone && !options.resumes) throw cutOffBefore(halfDone)
      return async (tx) => {
        await noTurn(tx)
        await noRestore(tx)
      }
    }
    // What is in the way now is told before anything is done.
    await look()
    const { target, put, ...scope } = await aimOf(wanted, options)(captured)
    const planned = await plan(captured, target, scope)
    if (!options.resumes && planned.changes.length === 0) {
      // It takes nobody's place in what can be undone.
      const restored = { root, changes: [], left: planned.left, before: null }
      return { made: await store.transaction((tx) => options.whenDone(tx, restored)), restored }
    }
    const tree = await treeForUndo(captured.shadow, captured.project, captured, planned)
    const before = await snapshots.keep(captured, { tree, saved: true })
    const restore: Restore =
      options.resumes ?? newRestore(parts, captured, planned, before.snapshot, target, options)
    options.signal?.throwIfAborted()
    await onceFree(look, (stillFree) =>
      store.transaction(async (tx) => {
        await stillFree(tx)
        await mustNotBeRemoved(tx, root)
        await mustBeAsRead(tx, options)
        await before.put(tx)
        await put(tx)
        if (options.resumes) await tx.restores.setState(restore.id, 'running', process)
        else await tx.restores.insert(restore)
      }),
    )
    try {
      const skipped = await applyRestore(captured.shadow, captured.project, planned)
      const restored = { root, ...done(planned, skipped), before: before.snapshot.id }
      const made = await store.transaction(async (tx) => {
        await tx.restores.setState(restore.id, 'done', process)
        return options.whenDone(tx, restored)
      })
      return { made, restored }
    } catch (error) {
      throw await afterFailure(parts, directory, restore, before.snapshot, options, error)
    }
  })
}

const aimOf = (wanted: Snapshot | Aim, { only }: Scope): Aim =>
  typeof wanted === 'function'
    ? wanted
    : async () => ({ target: wanted, put: async () => {}, ...(only && { only }) })

// What it goes on with, or takes back, was read before its files were looked at: somebody else may have done that since.
async function mustBeAsRead(
  { restores }: Transaction,
  { resumes, undoes }: Pick<PutBackOptions<unknown>, 'resumes' | 'undoes'>,
): Promise<void> {
  const isAsRead = resumes
    ? isDeepStrictEqual(await restores.get(resumes.id), resumes)
    : undoes === undefined || (await restores.get(undoes))?.state === 'done'
  if (!isAsRead)
    throw new BoughError(
      'session_busy',
      'Somebody else has undone or finished that restore just now. "bough undo --dry-run" tells what there is to undo.',
    )
}

// Somebody may have written to a file since the plan was made: then it was left alone after all.
function done({ changes, left }: RestorePlan, skipped: readonly Left[]): Pick<Restored, 'changes' | 'left'> {
  const without = new Set(skipped.map(({ path }) => path))
  return { changes: changes.filter(({ path }) => !without.has(path)), left: [...left, ...skipped] }
}

async function plan(captured: Captured, target: Snapshot, { only }: Scope): Promise<RestorePlan> {
  if (target.projectID !== captured.projectID) {
    throw new BoughError('bad_input', `Those are files of another project, not of ${captured.root}.`)
  }
  if (target.freed) throw new BoughError('not_found', `The files of ${target.id} have been cleaned up.`)
  const { shadow, project } = captured
  const options = only ? { only: new Set(only), exact: true } : {}
  return planRestore(shadow, project, captured, target, options)
}

const newRestore = (
  { ids, clock, process }: PutBackParts,
  { projectID, root }: Captured,
  { writes, deletions }: RestorePlan,
  before: Snapshot,
  target: Snapshot,
  { undoes = null }: { readonly undoes?: RestoreID | null },
): Restore => ({
  id: ids.restore(),
  projectID,
  root,
  before: before.id,
  target: target.id,
  paths: [...writes, ...deletions].map(({ path }) => path),
  undoes,
  state: 'running',
  process,
  created: clock(),
})

const cutOffBefore = ({ root }: Restore): BoughError =>
  new BoughError(
    'restore_failed',
    `Putting files back in ${root} was cut off before. First take it back with "bough undo" there, or finish it with "bough undo --finish".`,
  )

// What was done goes back at once where that is possible; where it is not, the person decides.
async function afterFailure(
  { store, snapshots, process }: PutBackParts,
  directory: string,
  restore: Restore,
  before: Snapshot,
  { resumes }: { readonly resumes?: Restore },
  cause: unknown,
): Promise<BoughError> {
  const words = messageOf(cause)
  try {
    await snapshots.withCapture(directory, async (captured) => {
      const back = await plan(captured, before, { only: restore.paths })
      await applyRestore(captured.shadow, captured.project, back)
    })
    await store.transaction((tx) =>
      resumes ? tx.restores.setState(restore.id, 'half', process) : tx.restores.remove(restore.id),
    )
    return new BoughError('restore_failed', `${words} Nothing was changed.`, { cause })
  } catch {
    await store.transaction((tx) => tx.restores.setState(restore.id, 'half', process))
    return new BoughError(
      'restore_failed',
      `${words} Some files are changed already. When that is mended, "bough undo" in ${restore.root} takes it back, and "bough undo --finish" finishes it.`,
      { cause },
    )
  }
}
