import { lstat, realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import { realPathOf } from './worktree-entry.ts'

/** Whether a path really lies below a directory: no links lead out of it, and it is none itself. */
export async function isInside(root: string, path: string): Promise<boolean> {
  const top = await realpath(root).catch(() => null)
  const found = await lstat(path).catch(() => null)
  return top !== null && !found?.isSymbolicLink() && (await realPathOf(path)).startsWith(top + sep)
}
