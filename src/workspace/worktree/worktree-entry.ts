import { readdir, realpath, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { readTextIfThere } from '../../read-regular-file.ts'

// What a repository knows of its worktrees: a directory for each in `worktrees`, whose file `gitdir` says where the
// worktree is, and in the worktree a file `.git` that says where that directory is.

/** The git directory that a worktree names; null where there is none. */
export async function entryOf(path: string): Promise<string | null> {
  const text = readTextIfThere(join(path, '.git'))
  const named = /^gitdir: (.*)/.exec(text ?? '')?.[1]
  return named === undefined ? null : resolve(path, named)
}

/** The repository's entries for a worktree at this path; also one that git had only begun to write. */
export async function entriesFor(commonDir: string, path: string): Promise<readonly string[]> {
  const real = await realPathOf(path)
  const found: string[] = []
  for (const name of await readdir(join(commonDir, 'worktrees')).catch(() => [])) {
    const entry = join(commonDir, 'worktrees', name)
    const place = readTextIfThere(join(entry, 'gitdir')) ?? ''
    const isIts =
      place === ''
        ? await isBegun(entry, basename(path))
        : resolve(entry, place.trimEnd()) === join(real, '.git')
    if (isIts) found.push(entry)
  }
  return found
}

export async function removeEntries(commonDir: string, path: string): Promise<void> {
  for (const entry of await entriesFor(commonDir, path)) await removeEntry(entry)
  // As git does: only when it was the last.
  await rmdir(join(commonDir, 'worktrees')).catch(() => {})
}

// What says whose it is goes last: who is killed in between leaves an entry that is found again.
async function removeEntry(entry: string): Promise<void> {
  for (const name of await readdir(entry).catch(() => []))
    if (name !== 'gitdir') await rm(join(entry, name), { recursive: true, force: true })
  await rm(entry, { recursive: true, force: true })
}

/** A path without links, also when nothing is there (any more). */
export async function realPathOf(path: string): Promise<string> {
  const parent = dirname(path)
  return parent === path ? path : join(await realpath(parent).catch(() => realPathOf(parent)), basename(path))
}

// git makes the directory, marks it, and only then writes whose it is. It is named after the worktree, with a number
// where that name was taken.
async function isBegun(entry: string, name: string): Promise<boolean> {
  const plain = (text: string) => text.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '')
  const [own, wanted] = [plain(basename(entry)), plain(name)]
  if (!own.startsWith(wanted) || !/^-?\d*$/.test(own.slice(wanted.length))) return false
  const files = await readdir(entry).catch(() => ['?'])
  return files.every((file) => file === 'locked' || file === 'gitdir')
}
