import { join } from 'node:path'
import { alternates } from '../alternates.ts'
import { tryGit } from '../git.ts'
import type { Project, Repository } from '../project.ts'
import { lacking } from '../shadow/objects.ts'
import type { Shadow } from '../shadow/shadow.ts'
import { inCommonDir } from './worktree-branch.ts'

/** How far back a commit that still exists is looked for. */
const farthest = 10_000

/**
 * The commit itself where the person's repository still has it; else the nearest of its ancestors that it has, as far
 * as they are known; else the first of `earlier` (commits that were HEAD before, the latest first); else HEAD.
 */
export async function survivingCommit(
  shadow: Shadow,
  { repository }: Project,
  commit: string,
  earlier: readonly string[],
): Promise<string | null> {
  if (!repository) return null
  const has = firstOf(repository)
  return (
    (await has([commit])) ??
    (await has(await ancestors(shadow, repository, commit))) ??
    (await has(earlier)) ??
    repository.head
  )
}

function firstOf({ commonDir }: Repository): (commits: readonly string[]) => Promise<string | null> {
  return async (commits) => {
    const gone = new Set(await lacking(inCommonDir(commonDir), commits))
    return commits.find((commit) => !gone.has(commit)) ?? null
  }
}

// The person's `gc` took it, but the shadow may have it yet: it has all that the repository had when it was made. The
// walk ends where neither knows a commit, and says so by failing; what it found until then counts.
async function ancestors(
  shadow: Shadow,
  { commonDir }: Repository,
  commit: string,
): Promise<readonly string[]> {
  const { cwd, env } = inCommonDir(commonDir)
  const both = {
    cwd,
    env: { ...env, GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates(join(shadow.directory, 'objects')) },
  }
  const { stdout } = await tryGit(both, ['rev-list', `--max-count=${farthest}`, commit])
  return stdout.split('\n').filter((line) => line !== '' && line !== commit)
}
