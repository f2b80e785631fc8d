import type { Reader } from '../store/store.ts'
import { BoughError } from '../tree/error.ts'
import type { SnapshotID } from '../tree/ids.ts'
import type { Restore, Restored } from '../tree/restore.ts'
import type { Snapshot } from '../tree/snapshot.ts'
import { isHalfDone } from '../turns/restoring.ts'
import { findProject } from '../workspace/project.ts'
import { type PutBackOptions, type PutBackParts, planToPutBack, putBack } from './put-back.ts'

export interface UndoOptions {
  /** Puts back the files of this snapshot instead of taking back the last restore. */
  readonly snapshotID?: SnapshotID
  /** Finishes a restore that was cut off, instead of taking it back. */
  readonly finish?: boolean
  /** Only tells what it would do. */
  readonly dryRun?: boolean
}

/** Takes back the last restore in a directory's project, or one that was left half done. */
export async function undo(parts: PutBackParts, directory: string, options: UndoOptions): Promise<Restored> {
  const { target, ...how } = await whatToDo(parts, directory, options)
  if (options.dryRun) return planToPutBack(parts, directory, target, how)
  return (await putBack(parts, directory, target, how)).restored
}

type Step = PutBackOptions<void> & { readonly target: Snapshot }

async function whatToDo(
  { store, process }: PutBackParts,
  directory: string,
  { snapshotID, finish = false }: UndoOptions,
): Promise<Step> {
  const whenDone = async () => {}
  if (snapshotID) return { target: await snapshotOf(store, snapshotID), whenDone }
  const { root } = await findProject(directory)
  const half = (await store.restores.unfinished()).find((each) => each.root === root && isHalfDone(each))
  if (!half) {
    if (finish)
      throw new BoughError('not_found', `No restore was cut off in ${root}, so there is none to finish.`)
    return undoing(store, await lastDone(store, root), process)
  }
  const undone = half.undoes && (await store.restores.get(half.undoes))
  if (undone) return { ...(await undoing(store, undone, process)), resumes: half }
  if (finish)
    return { target: await snapshotOf(store, half.target), only: half.paths, resumes: half, whenDone }
  return {
    target: await snapshotOf(store, half.before),
    only: half.paths,
    resumes: half,
    whenDone: (tx) => tx.restores.setState(half.id, 'undone', process),
  }
}

// Only what the restore changed: files that it left alone have a life of their own since.
async function undoing(reader: Reader, restore: Restore, process: Restore['process']): Promise<Step> {
  return {
    target: await snapshotOf(reader, restore.before),
    only: restore.paths,
    undoes: restore.id,
    whenDone: (tx) => tx.restores.setState(restore.id, 'undone', process),
  }
}

async function lastDone(reader: Reader, root: string): Promise<Restore> {
  const restore = await reader.restores.lastDone(root)
  if (restore) return restore
  throw new BoughError('not_found', `Nothing was put back in ${root}, so there is nothing to undo.`)
}

async function snapshotOf(reader: Reader, id: SnapshotID): Promise<Snapshot> {
  const snapshot = await reader.snapshots.get(id)
  if (snapshot) return snapshot
  throw new BoughError('not_found', `There is no snapshot ${id}.`)
}
