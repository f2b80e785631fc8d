import { stat } from 'node:fs/promises'
import { onLine } from '../store/find.ts'
import { readPositions } from '../store/line.ts'
import type { Store } from '../store/store.ts'
import { BoughError } from '../tree/error.ts'
import type { FilesChoice, FilesMode, ForkFiles, PreferredFiles, WorktreeBase } from '../tree/files-mode.ts'
import type { MessageID } from '../tree/ids.ts'
import { lengthOf } from '../tree/line.ts'
import { olderFiles } from '../tree/prompts.ts'
import type { Session } from '../tree/session.ts'
import { missingWords, type Snapshot } from '../tree/snapshot.ts'
import type { Snapshots } from '../turns/snapshots.ts'
import type { Captured } from '../workspace/capture/capture-project.ts'
import { findProject } from '../workspace/project.ts'
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
  /** What `auto` prefers; absent: nothing. */
  readonly preferred?: PreferredFiles
}

/**
 * Finds out what `files` means for a fork of a session at a fork point. At the newest message a new worktree has the
 * current commit and files; at an earlier one, those of that message.
 */
export async function chooseFiles(
  parts: ChooseParts,
  parent: Session,
  forkPoint: MessageID | null,
  files: FilesMode,
): Promise<Chosen> {
  if (files === 'same') return { ...theSame, why: 'You chose the same directory.' }
  const point = await pointFiles(parts.store, parent.id, forkPoint)
  if (files === 'restore') {
    if (!point) throw noneKept()
    return { mode: files, why, notices: noticesOf(point), point, now: null }
  }
  const isNewest = await isAtNewest(parts.store, parent, forkPoint)
  if (files === 'auto') {
    const preferred = await preferredFiles(parts, parent)
    if (preferred === 'auto') return chooseByItself(parts, parent, point, isNewest)
    const chosen = await chooseFiles(parts, parent, forkPoint, preferred)
    return { ...chosen, why: 'Your setting forks.files says so.' }
  }
  if (point && !isNewest) return { mode: files, why, notices: noticesOf(point), point, now: null }
  const current = await captureNow(parts, parent)
  const notices = isNewest
    ? []
    : ['No files are kept of that message, nor of any before it: these are the ones of now.']
  return { mode: files, why, notices: [...notices, ...noticesOf(current)], point: current, now: null }
}

const why = 'You chose it.'

// What the person prefers, where it can be had.
async function preferredFiles(
  { preferred = 'auto' }: ChooseParts,
  { directory }: Session,
): Promise<PreferredFiles> {
  if (!(await isDirectory(directory))) return 'auto'
  if (preferred !== 'worktree' && preferred !== 'clean') return preferred
  return (await findProject(directory)).repository?.head ? preferred : 'auto'
}

// Nobody has said anything after that message. While a turn runs, or without its directory, a session has no current files.
async function isAtNewest(
  store: Store,
  { id, directory }: Session,
  forkPoint: MessageID | null,
): Promise<boolean> {
  if ((await store.turns.running(id)) || !(await isDirectory(directory))) return false
  const line = await store.sessions.line(id)
  const position = forkPoint === null ? 0 : (await onLine(store, line, forkPoint)).position
  for await (const { role } of readPositions(store, line, position + 1, lengthOf(line)))
    if (role !== 'system') return false
  return true
}

/** What the fork's agent has to know of its files. */
export const toldOf = ({ point }: Chosen): string | null => (point?.isOlder ? olderFiles : null)

/** The same as it is told to the caller. */
export const filesOf = ({ mode, why, notices, point }: Chosen): ForkFiles => ({
  mode,
  why,
  notices,
  snapshotID: point?.snapshot.id ?? null,
  base: point && (mode === 'worktree' || mode === 'clean') ? baseOf(point) : null,
  changes: [],
  left: [],
})

function baseOf({ snapshot: { head, branch }, isCurrent }: PointFiles): WorktreeBase | null {
  return head === null ? null : { commit: head, branch, isCurrent }
}

const theSame = { mode: 'same' as const, notices: [], point: null, now: null }

// The same directory while its files are still those of the fork point, since a conversation and its files must agree.
async function chooseByItself(
  parts: ChooseParts,
  parent: Session,
  point: PointFiles | null,
  isNewest: boolean,
): Promise<Chosen> {
  if (!point) return { ...theSame, why: 'No files are kept up to that message.' }
  const worktree = (why: string, files = point): Chosen => ({
    mode: 'worktree',
    why,
    notices: noticesOf(files),
    point: files,
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
    if (obstacle === null)
      return worktree(why, isNewest ? currentFiles(await parts.snapshots.keepAtOnce(captured)) : point)
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

const captureNow = ({ snapshots }: ChooseParts, { directory }: Session): Promise<PointFiles> =>
  snapshots.withCapture(directory, async (captured) => currentFiles(await snapshots.keepAtOnce(captured)))

const currentFiles = (snapshot: Snapshot): PointFiles => ({
  snapshot,
  notice: null,
  isCurrent: true,
  isOlder: false,
  earlier: [],
})

const noticesOf = ({ notice, isCurrent, snapshot: { missing } }: PointFiles): readonly string[] => [
  ...(notice === null ? [] : [notice]),
  ...(missing.length === 0 ? [] : [`Not captured${isCurrent ? '' : ' then'}: ${missingWords(missing)}.`]),
]

const isDirectory = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => null))?.isDirectory() ?? false

const noneKept = (): BoughError =>
  new BoughError(
    'not_found',
    'No files are kept up to that message, so there is nothing to put back. A fork can have the directory as it is (--files same).',
  )
