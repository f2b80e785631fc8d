import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BoughError } from '../../tree/error.ts'

/**
 * Before anything is made: where a part of the repository can be written and another not, a branch can be made but not
 * be deleted again.
 */
export async function mustBeWritable(commonDir: string, branch: string): Promise<void> {
  const heads = ['refs', 'logs/refs'].map((refs) => join(commonDir, refs, 'heads'))
  const below = heads.map((each) => dirname(join(each, branch)))
  for (const place of [commonDir, join(commonDir, 'worktrees'), ...heads, ...below]) {
    if (!(await stat(place).catch(() => null))) continue
    await access(place, constants.W_OK).catch((cause) => {
      const words = `A worktree needs an entry and a branch in ${commonDir}, but ${place} cannot be written.`
      throw new BoughError('worktree_failed', words, { cause })
    })
  }
}
