import { stat } from 'node:fs/promises'
import { BoughError } from '../tree/error.ts'
import type { Session } from '../tree/session.ts'

export async function mustHaveDirectory({
  id,
  directory,
  workspaceID,
}: Pick<Session, 'id' | 'directory' | 'workspaceID'>): Promise<void> {
  const found = await stat(directory).catch(() => null)
  if (found?.isDirectory()) return
  // Making the directory anew would not bring a worktree back, nor its files.
  const words =
    workspaceID === null
      ? `The session's directory ${directory} is gone. Make it again, then try once more.`
      : `The worktree of this session, ${directory}, is gone. "bough fork ${id}" goes on in a new one with its files.`
  throw new BoughError('directory_gone', words)
}
