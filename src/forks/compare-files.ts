import { stat } from 'node:fs/promises'
import { livingSession } from '../store/find.ts'
import type { Store } from '../store/store.ts'
import { BoughError } from '../tree/error.ts'
import type { FilesAt, FilesDiff, FilesState } from '../tree/file-change.ts'
import type { Clock } from '../tree/ids.ts'
import type { Snapshots } from '../turns/snapshots.ts'
import { diffFiles } from '../workspace/files-diff.ts'
import { pointFiles } from './point-files.ts'
import { headSnapshot } from './turn-files.ts'

interface Parts {
  readonly store: Store
  readonly snapshots: Snapshots
  readonly clock: Clock
  readonly dataDirectory: string
}

/** How the files differ between any two of sessions, messages, snapshots and directories. */
export function compareFiles(parts: Parts, a: FilesAt, b: FilesAt): Promise<FilesDiff> {
  return withFiles(parts, a, (from) => withFiles(parts, b, (to) => diffFiles(parts.dataDirectory, from, to)))
}

// What was only looked at is good as long as somebody works with it.
async function withFiles<T>(parts: Parts, at: FilesAt, work: (files: FilesState) => Promise<T>): Promise<T> {
  const { store } = parts
  if ('directory' in at) {
    if (!(await stat(at.directory).catch(() => null))?.isDirectory())
      throw new BoughError('directory_gone', `There is no directory ${at.directory}. Name another.`)
    return withFilesNow(parts, at.directory, work)
  }
  if ('snapshotID' in at) return work(await found(store.snapshots.get(at.snapshotID)))
  const { id, workspaceID, directory } = await livingSession(store, at.sessionID)
  if (at.messageID) {
    return work(await found(pointFiles(store, id, at.messageID).then((point) => point?.snapshot ?? null)))
  }
  const ownPlace = workspaceID !== null && (await stat(directory).catch(() => null))
  return ownPlace ? withFilesNow(parts, directory, work) : work(await headSnapshot(store, id))
}

function withFilesNow<T>(
  { snapshots, clock }: Parts,
  directory: string,
  work: (files: FilesState) => Promise<T>,
): Promise<T> {
  return snapshots.withCapture(directory, ({ projectID, root, tree, head, branch, missing }) => {
    const now = { beside: [], saved: false, freed: false, created: clock() }
    return work({ id: null, projectID, root, tree, head, branch, missing, ...now })
  })
}

async function found(files: Promise<FilesState | null>): Promise<FilesState> {
  const state = await files
  if (state) return state
  throw new BoughError('not_found', 'No files are kept up to there.')
}
