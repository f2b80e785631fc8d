import type { Bough } from '../../bough.ts'
import type { FileChange } from '../../tree/file-change.ts'
import type { FilesChoice, ForkFiles } from '../../tree/files-mode.ts'
import type { Session } from '../../tree/session.ts'
import type { SessionStatus } from '../../tree/session-status.ts'
import type { Beginning } from '../backtrack/look-back.ts'
import { type Known, known } from './known.ts'
import { becomesOf, type Uncommitted } from './uncommitted-words.ts'
import { pointOf } from './wish.ts'

/** One thing that a fork can do about files. */
export interface FileChoice {
  readonly mode: FilesChoice
  readonly label: string
  /** Why it cannot be had; null where it can. */
  readonly obstacle: string | null
  /** What the person should know who takes it. */
  readonly notes: readonly string[]
  /** What a restore would change. */
  readonly changes: readonly FileChange[]
}

/** Finds out what can be had of a fork there, without making anything. */
export async function readFileChoices(
  bough: Bough,
  session: Session,
  beginning: Beginning | null,
  status: Known<SessionStatus>,
): Promise<readonly FileChoice[]> {
  const preview = async (files: FilesChoice): Promise<Known<ForkFiles>> =>
    known(bough.previewFork(session.id, { ...pointOf(beginning), files }).then((found) => found.files))
  const [worktree, restore] = await Promise.all([preview('worktree'), preview('restore')])
  const isGone = !restore.ok && restore.code === 'directory_gone'
  const noWorktree = await obstacleToWorktree(bough, session, status, worktree, restore)
  const found: Uncommitted = {
    dirty: status.ok && status.value.git ? status.value.git.dirty : 0,
    since: changedSince(restore),
    base: worktree.ok ? worktree.value.base : null,
  }
  const isCurrent = found.base?.isCurrent ?? beginning === null
  const notes = (mode: FilesChoice, notices: readonly string[] = []): readonly string[] =>
    [becomesOf[mode](found), ...notices].filter((note) => note !== '')
  return [
    {
      mode: 'worktree',
      label: `New worktree, files as ${isCurrent ? 'they are now' : 'at that message'}`,
      obstacle: noWorktree,
      notes: notes('worktree', worktree.ok ? worktree.value.notices : []),
      changes: [],
    },
    {
      mode: 'clean',
      label: `New worktree from the ${isCurrent ? 'last commit' : 'commit of that message'}`,
      obstacle: noWorktree,
      notes: notes('clean'),
      changes: [],
    },
    {
      mode: 'same',
      label: 'Same directory, files as they are now',
      obstacle: isGone ? gone : null,
      notes: notes('same'),
      changes: [],
    },
    {
      mode: 'restore',
      label: 'Restore here: put the files back',
      obstacle: restore.ok ? null : obstacleWords(restore),
      notes: restore.ok ? notes('restore', restore.value.notices) : [],
      changes: restore.ok ? restore.value.changes : [],
    },
  ]
}

// Where nothing was captured, a fork has the files of now.
function changedSince(restore: Known<ForkFiles>): number | null {
  if (restore.ok) return restore.value.changes.length
  return restore.code === 'not_found' ? 0 : null
}

/** What is preselected: a conversation and its files should agree, and nobody's work be touched. */
export const preselected = (choices: readonly FileChoice[]): FilesChoice | null =>
  (['worktree', 'same'] as const).find((mode) =>
    choices.some((choice) => choice.mode === mode && choice.obstacle === null),
  ) ?? null

async function obstacleToWorktree(
  bough: Bough,
  { directory }: Session,
  status: Known<SessionStatus>,
  worktree: Known<ForkFiles>,
  restore: Known<ForkFiles>,
): Promise<string | null> {
  if (!worktree.ok) return obstacleWords(worktree)
  const isThere = restore.ok || restore.code !== 'directory_gone'
  if (!isThere) return null
  if (status.ok && status.value.git === null) return 'this is no git project'
  const { snapshotID, base } = worktree.value
  if (base?.isCurrent) return null
  if (!restore.ok && restore.code === 'bad_input') return obstacleWords(restore)
  if (snapshotID === null) return null
  const then = await known(bough.findSnapshot(snapshotID))
  if (!then.ok || then.value.head !== null) return null
  const now = await known(bough.compareFiles({ snapshotID }, { directory }))
  return now.ok && now.value.to.head === null ? 'nothing is committed here yet' : null
}

const gone = 'the directory is gone'

// In the words of this dialog: those of the errors name options of the command line.
function obstacleWords({ code, why }: Extract<Known<unknown>, { ok: false }>): string {
  switch (code) {
    case 'directory_gone':
      return gone
    case 'not_found':
      return 'no files are kept up to that message'
    case 'bad_input':
      return 'the files of that message are of another project'
    default:
      return why
  }
}
