import { isDeepStrictEqual } from 'node:util'
import { livenessOf } from '../process-identity.ts'
import type { Store } from '../store/store.ts'
import type { Clock } from '../tree/ids.ts'
import type { ProcessIdentity } from '../tree/owner.ts'
import type { Workspace } from '../tree/workspace.ts'
import { removeRemains } from '../workspace/worktree/worktree-remains.ts'
import { finishRemoving } from './remove-workspace.ts'

interface Parts {
  readonly store: Store
  readonly clock: Clock
  readonly dataDirectory: string
  readonly process: ProcessIdentity
}

/** A process of another boot or container cannot be looked at: so long it may take. */
const patience = 60 * 60_000

/**
 * Takes back worktrees whose making a dead process left, and finishes removing what one had begun to remove. Whoever
 * opens bough waits for this: so it waits for nothing that still runs there.
 */
export async function mendHalfMade(parts: Parts): Promise<void> {
  for (const workspace of await parts.store.workspaces.underWay()) {
    if (!isLeft(workspace, parts.clock())) continue
    // One that cannot be mended now (a process still runs there, say) must keep nobody from working: tried again.
    await mend(parts, workspace).catch(() => {})
  }
}

async function mend(parts: Parts, workspace: Workspace): Promise<void> {
  const { store, process } = parts
  const { id, state } = workspace
  // It may have been finished since it was looked at, and its process be over because of that; or somebody else mends it.
  const isTaken = await store.transaction(
    async (tx) =>
      isDeepStrictEqual(await tx.workspaces.get(id), workspace) &&
      tx.workspaces.move(id, state, state, process),
  )
  if (!isTaken) return
  try {
    await (state === 'making' ? takeBack(parts, workspace, 0) : finishRemoving(parts, workspace))
  } catch (error) {
    await store.transaction((tx) => tx.workspaces.move(id, state, state, workspace.process))
    throw error
  }
}

/** Removes all there is of a worktree that was never finished. */
export async function takeBack(
  { store }: Pick<Parts, 'store'>,
  workspace: Workspace,
  patienceMs?: number,
): Promise<void> {
  await removeRemains(workspace.repository, workspace, patienceMs)
  await store.transaction((tx) => tx.workspaces.remove(workspace.id))
}

function isLeft({ process, created }: Workspace, now: number): boolean {
  const liveness = livenessOf(process)
  return liveness === 'gone' || (liveness === 'elsewhere' && now - created > patience)
}
