import { livenessOf } from '../process-identity.ts'
import type { Store } from '../store/store.ts'
import type { Clock } from '../tree/ids.ts'
import type { Workspace } from '../tree/workspace.ts'
import { removeRemains } from '../workspace/worktree/worktree-remains.ts'
import { finishRemoving } from './remove-workspace.ts'

interface Parts {
  readonly store: Store
  readonly clock: Clock
  readonly dataDirectory: string
}

/** A process of another boot or container cannot be looked at: so long it may take. */
const patience = 60 * 60_000

/** Takes back worktrees whose making a dead process left, and finishes removing what one had begun to remove. */
export async function mendHalfMade(parts: Parts): Promise<void> {
  for (const workspace of await parts.store.workspaces.underWay()) {
    if (!isLeft(workspace, parts.clock())) continue
    // One that cannot be mended now (a process still runs there, say) must keep nobody from working: tried again.
    await (workspace.state === 'making'
      ? takeBack(parts, workspace)
      : finishRemoving(parts, workspace)
    ).catch(() => {})
  }
}

/** Removes all there is of a worktree that was never finished. */
export async function takeBack({ store }: Pick<Parts, 'store'>, workspace: Workspace): Promise<void> {
  await removeRemains(workspace.repository, workspace)
  await store.transaction((tx) => tx.workspaces.remove(workspace.id))
}

function isLeft({ process, created }: Workspace, now: number): boolean {
  const liveness = livenessOf(process)
  return liveness === 'gone' || (liveness === 'elsewhere' && now - created > patience)
}
