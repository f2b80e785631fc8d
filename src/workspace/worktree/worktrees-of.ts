import { brief, git, records, toText } from '../git.ts'

/** All work trees of the repository that a directory is in. Where there is no repository, or no git, there are none. */
export async function worktreesOf(directory: string): Promise<readonly string[]> {
  const args = ['worktree', 'list', '--porcelain', '-z']
  const listed = await git({ cwd: directory, env: {} }, args, brief).catch(() => '')
  return records(listed)
    .filter((line) => line.startsWith(key))
    .map((line) => toText(line.slice(key.length)))
}

const key = 'worktree '
