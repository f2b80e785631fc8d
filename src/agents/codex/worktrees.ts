import { execFile } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { promisify } from 'node:util'

/** A directory and the worktrees of its repository, by all names that Codex may have noted for them. */
export async function withWorktrees(directory: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const real = await realpath(directory).catch(() => directory)
  return [...new Set([directory, real, ...(await worktreesOf(real, env))])]
}

// Where there is no repository, or no git, there are none.
async function worktreesOf(directory: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  try {
    const args = ['worktree', 'list', '--porcelain', '-z']
    // A hook of git's has it set, to another repository.
    const own = { ...env, GIT_DIR: undefined, GIT_WORK_TREE: undefined }
    const { stdout } = await promisify(execFile)('git', args, { cwd: directory, env: own })
    const key = 'worktree '
    return stdout
      .split('\0')
      .filter((line) => line.startsWith(key))
      .map((line) => line.slice(key.length))
  } catch {
    return []
  }
}
