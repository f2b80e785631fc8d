import { stat } from 'node:fs/promises'
import type { Store } from '../store/store.ts'
import { BoughError } from '../tree/error.ts'
import type { FilesChoice, FilesMode, ForkFiles } from '../tree/files-mode.ts'
import type { MessageID } from '../tree/ids.ts'
import type { Session } from '../tree/session.ts'
import { missingWords, type Snapshot } from '../tree/snapshot.ts'
import type { Snapshots } from '../turns/snapshots.ts'
import type { Captured } from '../workspace/capture/capture-project.ts'
import { pathsBetween } from '../workspace/restore/tree-entries.ts'
import { type PointFiles, pointFiles } from './point-files.ts'

/** What a fork does about files, and with which. */
export interface Chosen {
  readonly mode: FilesChoice
  /** For a person. */
  readonly why: string
  readonly notices: readonly string[]
  /** The files of the fork point. */
  readonly point: PointFiles | null
  /** The files as they are now, where the fork has those although they are not the ones of its point. */
  readonly now: Snapshot | null
}

interface ChooseParts {
  readonly store: Store
  readonly snapshots: Snapshots
}

/** Finds out what `files` means for a fork of a session at a fork point. */
export async function chooseFiles(
  parts: ChooseParts,
  parent: Session,
  forkPoint: MessageID | null,
  files: FilesMode,
): Promise<Chosen> {
  if (files === 'same') return { ...theSame, why: 'You chose the same directory.' }
  const point = await pointFiles(parts.store, parent.id, forkPoint)
  if (files === 'auto') return chooseByItself(parts, parent, point)
  const why = 'You chose it.'
  if (point) return { mode: files, why, notices: noticesOf(point), point, now: null }
  if (files === 'restore') throw noneKept()
  const notices = ['No files are kept of that message, nor of any before it: these are the ones of now.']
  const snapshot = await captureNow(parts, parent)
  return { mode: files, why, notices, point: { snapshot, notice: null, earlier: [] }, now: null }
}

/** The same as it is told to the caller. */
export const filesOf = ({ mode, why, notices, point }: Chosen): ForkFiles => ({
  mode,
  why,
  notices,
  snapshotID: point?.snapshot.id ?? null,
  changes: [],
  left: [],
})

const theSame = { mode: 'same' as const, notices: [], point: null, now: null }

// The same directory while its files are still those of the fork point, since a conversation and its files must agree.
async function chooseByItself(
  parts: ChooseParts,
  parent: Session,
  point: PointFiles | null,
): Promise<Chosen> {
  if (!point) return { ...theSame, why: 'No files are kept up to that message.' }
  const worktree = (why: string): Chosen => ({
    mode: 'worktree',
    why,
    notices: noticesOf(point),
    point,
    now: null,
  })
  if (parent.workspaceID !== null && !(await isDirectory(parent.directory))) {
    return worktree('The worktree of the forked session is gone.')
  }
  const look = async (captured: Captured): Promise<Chosen> => {
    const { projectID, tree } = captured
    if (projectID === point.snapshot.projectID && tree === point.snapshot.tree) {
      return { ...theSame, why: 'The files are still as they were at the fork point.', point }
    }
    const why = `The files are not as they were at the fork point${await howMany(captured, point.snapshot)}.`
    const obstacle = obstacleTo(captured, point.snapshot)
    if (obstacle === null) return worktree(why)
    const notice = `${obstacle}, so the fork has them as they are now.`
    return { ...theSame, why, notices: [notice], point, now: await parts.snapshots.keepAtOnce(captured) }
  }
  try {
    return await parts.snapshots.withCapture(parent.directory, look)
  } catch (error) {
    if (!(error instanceof BoughError)) throw error
    const why = 'Nobody knows whether the files are as they were at the fork point.'
    return { ...theSame, why, notices: [error.message], point }
  }
}

function obstacleTo({ project: { id, repository } }: Captured, then: Snapshot): string | null {
  if (id !== then.projectID) return 'They were captured in another project'
  if (!repository) return 'This is no git project'
  return repository.head ? null : 'Nothing is committed here yet'
}

async function howMany({ projectID, shadow, tree }: Captured, then: Snapshot): Promise<string> {
  if (projectID !== then.projectID) return ''
  const { size } = await pathsBetween(shadow, then.tree, tree)
  return size === 1 ? ' (1 differs)' : ` (${size} differ)`
}

const captureNow = ({ snapshots }: ChooseParts, { directory }: Session): Promise<Snapshot> =>
  snapshots.withCapture(directory, (captured) => snapshots.keepAtOnce(captured))

const noticesOf = ({ notice, snapshot: { missing } }: PointFiles): readonly string[] => [
  ...(notice === null ? [] : [notice]),
  ...(missing.length === 0 ? [] : [`Not captured then: ${missingWords(missing)}.`]),
]

const isDirectory = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => null))?.isDirectory() ?? false

const noneKept = (): BoughError =>
  new BoughError(
    'not_found',
    'No files are kept up to that message, so there is nothing to put back. A fork can have the directory as it is (--files same).',
  )
