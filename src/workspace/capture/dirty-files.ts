import { join } from 'node:path'
import { alternates } from '../alternates.ts'
import { lookingThrough, records, tryGit } from '../git.ts'
import type { Repository } from '../project.ts'
import { copyIndex, type Shadow } from '../shadow/shadow.ts'

/**
 * How many files of a work tree are not as in its last commit; null where git cannot tell. git itself would look with the
 * repository's own config, and run what that names: so with a copy of its index here.
 */
export const dirtyFiles = (
  shadow: Shadow,
  root: string,
  { index, commonDir, head }: Pick<Repository, 'index' | 'commonDir' | 'head'>,
): Promise<number | null> =>
  shadow.withAside('dirty', async (own) => {
    const place = shadow.place(own, root)
    const others = ['ls-files', '-z', '--others', '--exclude-standard']
    if (!(await copyIndex(index, own)))
      return head === null ? countOf([await tryGit(place, others, lookingThrough)]) : null
    const theirs = { GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates(join(commonDir, 'objects')) }
    const staging = { ...place, env: { ...place.env, ...theirs } }
    await tryGit(place, ['update-index', '-q', '--refresh'], lookingThrough)
    const staged =
      head === null
        ? ['ls-files', '-z', '--cached']
        : ['diff-index', '-z', '--cached', '--name-only', '--ignore-submodules=all', head]
    return countOf(
      await Promise.all([
        tryGit(staging, staged),
        tryGit(place, ['diff-files', '-z', '--name-only', '--ignore-submodules=all'], lookingThrough),
        tryGit(place, others, lookingThrough),
      ]),
    )
  })

function countOf(looks: readonly { readonly code: number | null; readonly stdout: string }[]): number | null {
  if (looks.some(({ code }) => code !== 0)) return null
  return new Set(looks.flatMap(({ stdout }) => records(stdout))).size
}
