import { mkdir, writeFile } from 'node:fs/promises'
import { readRegularFile } from '../../read-regular-file.ts'
import { GitError, type GitPlace, git, lookingThrough, records, startScript } from '../git.ts'
import { ignoredAmong, isRules } from '../gitignore.ts'
import { eachOf, fullPath, look } from '../raw-path.ts'
import type { Shadow } from '../shadow/shadow.ts'
import { withStaging } from './staging.ts'
import { directoriesOf } from './standing.ts'
import { damaged, type Entry, indexInfo, isRegular } from './tree-entries.ts'

/**
 * Which of these paths the .gitignore files of a tree ignore, with the project's and the person's own lists as they are
 * now. A .gitignore that is on disk and that `isCaptured` does not know ignores itself: it may have been there then, and
 * counts.
 */
export async function ignoredThen(
  shadow: Shadow,
  root: string,
  tree: ReadonlyMap<string, Entry>,
  isCaptured: (path: string) => boolean,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set()
  return withStaging(shadow, (directory) =>
    shadow.withAside('rules', async (index) => {
      const place = shadow.place(index, directory)
      await writeRules(shadow, place, tree)
      for (const path of await hiddenRules(root, isCaptured, paths)) {
        await mkdir(fullPath(directory, path.slice(0, -'.gitignore'.length)), { recursive: true })
        await writeFile(fullPath(directory, path), readRegularFile(fullPath(root, path)))
      }
      return new Set(await ignoredAmong(place, paths))
    }),
  )
}

/** Files on disk that are ignored now and not in the tree. A nested repository ends with a slash. */
export const ignoredNow = (shadow: Shadow, root: string, tree: string): Promise<readonly string[]> =>
  shadow.withAside('ignored', async (index) => {
    const place = shadow.place(index, root)
    await git(place, ['read-tree', tree])
    return records(
      await git(place, ['ls-files', '-z', '--others', '--ignored', '--exclude-standard'], lookingThrough),
    )
  })

async function writeRules(shadow: Shadow, place: GitPlace, tree: ReadonlyMap<string, Entry>): Promise<void> {
  // git does not read one that is a link.
  const rules = [...tree].flatMap(([path, entry]) =>
    isRules(path) && isRegular(entry) ? [{ path, ...entry }] : [],
  )
  if (rules.length === 0) return
  const write = startScript(place, 'git update-index -z --index-info; git checkout-index -a -f')
  const { code, stderr } = await write(indexInfo(rules))
  if (code !== 0) throw damaged(shadow, new GitError(['checkout-index'], stderr))
}

async function hiddenRules(
  root: string,
  isCaptured: (path: string) => boolean,
  paths: readonly string[],
): Promise<readonly string[]> {
  const directories = new Set(paths.flatMap(directoriesOf))
  const rules = ['.gitignore', ...[...directories].map((directory) => `${directory}/.gitignore`)].filter(
    (path) => !isCaptured(path) && !directoriesOf(path).some(isRules),
  )
  const found = await eachOf(rules, (path) => look(root, path))
  return rules.filter((_, i) => found[i]?.isFile())
}
