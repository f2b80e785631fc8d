import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegularFile } from '../../read-regular-file.ts'
import type { Missing } from '../../tree/snapshot.ts'
import { type GitPlace, git, records, toText } from '../git.ts'
import { findProject, type Project } from '../project.ts'
import { look } from '../raw-path.ts'
import type { Shadow } from '../shadow/shadow.ts'
import { dirtyFiles } from './dirty-files.ts'
import { largestIndex } from './index-file.ts'

export interface Submodules {
  /** Those that are at another commit than the index says, or gone. */
  readonly moved: readonly string[]
  /** Those that are not as their commit says: a snapshot has the commit, not what lies beside it. */
  readonly dirty: readonly Missing[]
}

/** How the submodules of a project are, and repositories that were added to it without being made one. */
export async function lookAtSubmodules(
  shadow: Shadow,
  place: GitPlace,
  { root }: Project,
  mayBeThere: boolean,
): Promise<Submodules> {
  const moved: string[] = []
  const dirty: Missing[] = []
  if (!mayBeThere) return { moved, dirty }
  for (const record of records(await git(place, ['ls-files', '-z', '--stage']))) {
    const [, commit = '', path = ''] = /^160000 (\w+) 0\t(.*)$/s.exec(record) ?? []
    if (path === '') continue
    const state = await stateOf(shadow, root, path, commit)
    if (state.moved) moved.push(path)
    if (state.dirty) dirty.push({ path: toText(path), why: 'dirty submodule' })
  }
  return { moved, dirty }
}

/**
 * Looks for the mode of a link to a repository, in four bytes. Where they are found they may mean something else; where
 * they are not, git need not be asked.
 */
export const mayHaveLinks = (index: string): boolean =>
  existsSync(index) && readRegularFile(index, largestIndex).includes(Buffer.from([0, 0, 0xe0, 0]))

async function stateOf(shadow: Shadow, root: string, path: string, commit: string) {
  const found = await look(root, path)
  // A file in its place is found by the scan.
  if (!found?.isDirectory()) return { moved: found === null, dirty: false }
  const directory = join(root, toText(path))
  if (!(await stat(join(directory, '.git')).catch(() => null))) return { moved: false, dirty: false }
  const { root: top, repository } = await findProject(directory)
  if (!repository?.head || top !== directory) return { moved: false, dirty: true }
  return { moved: repository.head !== commit, dirty: (await dirtyFiles(shadow, top, repository)) !== 0 }
}
