import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Store } from '../store/store.ts'
import type { ProcessIdentity } from '../tree/owner.ts'
import type { Session } from '../tree/session.ts'
import { missingWords, type Snapshot } from '../tree/snapshot.ts'
import type { Workspace, WorkspaceEnd } from '../tree/workspace.ts'
import { isHalfDone } from '../turns/restoring.ts'
import type { Snapshots } from '../turns/snapshots.ts'
import { ignoredIn } from '../workspace/worktree/ignored-in.ts'
import { reasonToKeep } from '../workspace/worktree/reason-to-keep.ts'
import { removeWorktree } from '../workspace/worktree/remove-worktree.ts'
import { countUncommitted } from '../workspace/worktree/uncommitted.ts'

interface Parts {
  readonly store: Store
  readonly snapshots: Snapshots
  readonly dataDirectory: string
  readonly process: ProcessIdentity
}

/**
 * Removes a worktree that nobody needs, when nothing in it would be lost: uncommitted work is saved to a snapshot first. `users`
 * are the sessions in it as they were when nobody was found to need it.
 */
export async function removeWorkspace(
  parts: Parts,
  workspace: Workspace,
  users: readonly Session[],
  { dryRun = false } = {},
): Promise<WorkspaceEnd> {
  const { path, branch } = workspace
  const kept = (why: string): WorkspaceEnd => ({
    path,
    branch,
    removed: false,
    kept: why,
    branchKept: true,
    saved: null,
    ignored: [],
  })
  const reason = await reasonToKeep(rootOf(parts), workspace.repository, workspace)
  if (reason !== null) return kept(reason)
  const work = (await exists(path)) ? await uncommittedWork(parts, workspace, dryRun) : null
  if (work?.lost) return kept(work.lost)
  const { saved = null, ignored = [] } = work ?? {}
  const gone = { path, branch, kept: null, saved: saved?.id ?? null, ignored }
  if (dryRun) return { ...gone, removed: false, branchKept: false }
  const ours = await parts.store.transaction(async (tx) => {
    const now = await tx.sessions.workingIn(path)
    // A whole turn may have gone by since its files were captured, or somebody has begun to use it.
    if (now.some(({ state }) => state === 'running') || !isDeepStrictEqual(now, users)) return false
    const restores = await tx.restores.unfinished()
    if (restores.some((each) => each.root === path && !isHalfDone(each))) return false
    return tx.workspaces.move(workspace.id, 'ready', 'removing', parts.process)
  })
  if (!ours) return kept('somebody works in it, or removes it, just now')
  return { ...gone, removed: true, ...(await finishRemoving(parts, workspace)) }
}

/** The rest of a removal, once everything in the worktree is safe. */
export async function finishRemoving(
  { store, dataDirectory }: Pick<Parts, 'store' | 'dataDirectory'>,
  workspace: Workspace,
): Promise<{ readonly branchKept: boolean }> {
  const { branchKept } = await removeWorktree(rootOf({ dataDirectory }), workspace.repository, workspace)
  await store.transaction((tx) => tx.workspaces.move(workspace.id, 'removing', 'removed', workspace.process))
  return { branchKept }
}

interface Work {
  /** Why it cannot be saved; null when it can. */
  readonly lost: string | null
  readonly saved: Snapshot | null
  readonly ignored: readonly string[]
}

// Only what is in no commit needs a snapshot. What cannot be captured would be lost; what the person has git ignore can
// mostly be made again, and is only named.
function uncommittedWork({ snapshots }: Parts, { path }: Workspace, dryRun: boolean): Promise<Work> {
  return snapshots.withCapture(path, async (captured) => {
    const { shadow, project, head, tree, missing } = captured
    if (missing.length > 0)
      return { lost: `not everything in it can be saved: ${missingWords(missing)}`, saved: null, ignored: [] }
    const ignored = await ignoredIn(shadow, project, tree)
    const isCommitted = head !== null && (await countUncommitted(shadow, project, head, tree)) === 0
    const saved = isCommitted || dryRun ? null : await snapshots.keepAtOnce(captured, { saved: true })
    return { lost: null, saved, ignored }
  })
}

const rootOf = ({ dataDirectory }: Pick<Parts, 'dataDirectory'>): string => join(dataDirectory, 'worktrees')

const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => null)) !== null
