import { livingSession } from '../store/find.ts'
import type { Reader } from '../store/store.ts'
import type { SessionID } from '../tree/ids.ts'
import type { ForkChanges } from '../tree/side-fork.ts'

/** The worktree that a fork has for itself; null where it works where its parent does. */
export async function ownWorktree(
  reader: Pick<Reader, 'sessions' | 'workspaces'>,
  sessionID: SessionID,
): Promise<ForkChanges['worktree']> {
  const { workspaceID, parentID } = await livingSession(reader, sessionID)
  const parent = parentID && (await reader.sessions.get(parentID))
  if (workspaceID === null || (parent && parent.workspaceID === workspaceID)) return null
  const workspace = await reader.workspaces.get(workspaceID)
  return workspace && { path: workspace.path, branch: workspace.branch }
}
