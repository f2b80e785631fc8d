import { existsSync, readFileSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Missing } from '../../tree/snapshot.ts'
import { type GitPlace, git, records, toText, tryGit } from '../git.ts'
import { findProject, type Project } from '../project.ts'
import { look } from '../raw-path.ts'
import { copyIndex, type Shadow } from '../shadow/shadow.ts'

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
  existsSync(index) && readFileSync(index).includes(Buffer.from([0, 0, 0xe0, 0]))

async function stateOf(shadow: Shadow, root: string, path: string, commit: string) {
  const found = await look(root, path)
  // A file in its place is found by the scan.
  if (!found?.isDirectory()) return { moved: found === null, dirty: false }
  const directory = join(root, toText(path))
  if (!(await stat(join(directory, '.git')).catch(() => null))) return { moved: false, dirty: false }
  const { root: top, repository } = await findProject(directory)
  if (!repository?.head || top !== directory) return { moved: false, dirty: true }
  return { moved: repository.head !== commit, dirty: await isDirty(shadow, top, repository) }
}

// git itself would look with the submodule's own config, and run what that names: so with a copy of its index here.
async function isDirty(
  shadow: Shadow,
  root: string,
  { index, commonDir, head }: { index: string; commonDir: string; head: string | null },
): Promise<boolean> {
  const own = shadow.aside('submodule')
  try {
    if (!(await copyIndex(index, own))) return true
    const place = shadow.place(own, root)
    const objects = `"${join(commonDir, 'objects').replace(/["\\]/g, '\\$&')}"`
    const staging = { ...place, env: { ...place.env, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects } }
    await tryGit(place, ['update-index', '-q', '--refresh'])
    const looks = await Promise.all([
      tryGit(staging, ['diff-index', '-z', '--cached', '--name-only', '--ignore-submodules=all', head ?? '']),
      tryGit(place, ['diff-files', '-z', '--name-only', '--ignore-submodules=all']),
      tryGit(place, ['ls-files', '-z', '--others', '--exclude-standard']),
    ])
    return looks.some(({ code, stdout }) => code !== 0 || stdout !== '')
  } finally {
    await rm(own, { force: true })
    await rm(`${own}.lock`, { force: true })
  }
}
