import type { Reader } from '../store/store.ts'
import { BoughError } from '../tree/error.ts'
import { isWithin } from './real-path.ts'

/**
 * Refuses where a worktree is being removed: what was done there would go with it. Asked in the transaction that begins
 * something there, since whoever removes it has looked who uses it in the one that says so.
 */
export async function mustNotBeRemoved(
  { workspaces }: Pick<Reader, 'workspaces'>,
  directory: string,
): Promise<void> {
  const gone = (await workspaces.underWay()).find(
    ({ state, path }) => state === 'removing' && isWithin(directory, path),
  )
  if (!gone) return
  throw new BoughError(
    'directory_gone',
    `The worktree ${gone.path} is being removed. Fork the session when that is done: the fork has a worktree of its own.`,
  )
}
