import { copyFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Missing } from '../tree/snapshot.ts'
import { type GitPlace, git, records, toText } from './git.ts'
import { findProject, type Project } from './project.ts'
import type { Shadow } from './shadow.ts'

/** Submodules that are not as their commit says: a snapshot has the commit, not what lies beside it. */
export async function dirtySubmodules(
  shadow: Shadow,
  place: GitPlace,
  { root }: Project,
): Promise<readonly Missing[]> {
  if (!(await exists(join(root, '.gitmodules')))) return []
  const missing: Missing[] = []
  for (const record of records(await git(place, ['ls-files', '-z', '--stage']))) {
    const [, commit = '', path = ''] = /^160000 (\w+) \d\t(.*)$/s.exec(record) ?? []
    const directory = join(root, toText(path))
    if (
      path !== '' &&
      (await exists(join(directory, '.git'))) &&
      (await isDirty(shadow, directory, commit))
    ) {
      missing.push({ path: toText(path), why: 'dirty submodule' })
    }
  }
  return missing
}

// git itself would look with the submodule's own config, and run what that names: so with a copy of its index here.
async function isDirty(shadow: Shadow, directory: string, commit: string): Promise<boolean> {
  const { root, repository } = await findProject(directory)
  if (!repository || root !== directory || repository.head !== commit) return true
  const index = join(shadow.directory, 'indexes', `submodule.${process.pid}-${crypto.randomUUID()}`)
  try {
    await copyFile(repository.index, index)
    const place = shadow.place(index, root)
    const changed = await git(place, ['diff-files', '-z', '--name-only', '--ignore-submodules=all'])
    const fresh = await git(place, ['ls-files', '-z', '--others', '--exclude-standard'])
    return changed !== '' || fresh !== ''
  } finally {
    await rm(index, { force: true })
  }
}

const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => null)) !== null
