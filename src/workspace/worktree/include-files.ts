import { closeSync, constants, createReadStream, existsSync, fstatSync, openSync } from 'node:fs'
import { chmod, copyFile, lstat, mkdir, readlink, realpath, symlink, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { HeldDirectory, inDirectoryOf } from '../../held-directory.ts'
import { openRegularFile } from '../../read-regular-file.ts'
import { messageOf } from '../../tree/error.ts'
import { git, lookingThrough, records, toBytes, toText } from '../git.ts'
import type { Project } from '../project.ts'
import { beyondLinks, eachOf, fullPath, look } from '../raw-path.ts'
import type { Shadow } from '../shadow/shadow.ts'

/** The file in a project's root that names, as .gitignore does, the ignored files which a new worktree needs too. */
const listName = '.worktreeinclude'

/** More than this altogether is not copied. */
const most = { files: 20_000, bytes: 2 ** 30 }

export interface LeftOut {
  readonly path: string
  readonly why: string
}

export interface Included {
  readonly copied: number
  readonly leftOut: readonly LeftOut[]
}

/**
 * Copies the ignored files that the project's .worktreeinclude names to a new worktree. Nothing outside of the project is
 * read, nothing outside of the worktree is written, and nothing that is there already is overwritten.
 */
export async function copyIncluded(shadow: Shadow, project: Project, to: string): Promise<Included> {
  const list = await readList(project.root)
  if (list === null) return { copied: 0, leftOut: [] }
  if (list instanceof Error) return { copied: 0, leftOut: [{ path: listName, why: list.message }] }
  const found = await matches(shadow, project, list)
  const { within, beyond } = await withinLimits(project.root, found)
  using root = HeldDirectory.hold(project.root)
  const ends = await eachOf(within, copier(project.root, root, to))
  const leftOut = within.flatMap((path, i) => {
    const why = ends[i]
    return why == null ? [] : [{ path: toText(path), why }]
  })
  return { copied: within.length - leftOut.length, leftOut: [...leftOut, ...beyond] }
}

// Where it is a link it may lead anywhere, and what it leads to is not this project's list.
async function readList(root: string): Promise<string | Error | null> {
  const path = join(root, listName)
  const found = await lstat(path).catch(() => null)
  if (!found) return null
  if (!found.isFile()) return new Error('it is not a file')
  try {
    const file = await openRegularFile(path, { noFollow: true })
    try {
      return await file.readFile('latin1')
    } finally {
      await file.close()
    }
  } catch (error) {
    return new Error(`it cannot be read (${messageOf(error)})`)
  }
}

// Those that the list names among the untracked ones, and of these the ignored.
async function matches(
  shadow: Shadow,
  { root, repository }: Project,
  list: string,
): Promise<readonly string[]> {
  // With the person's own index: what they track is in the new worktree anyway.
  const place = shadow.place(repository?.index ?? join(shadow.directory, 'no-index'), root)
  return shadow.withAside('include', async (patterns) => {
    await writeFile(patterns, list, 'latin1')
    const [named, ignored] = await Promise.all(
      [`--exclude-from=${patterns}`, '--exclude-standard'].map(async (rules) =>
        records(await git(place, ['ls-files', '-z', '--others', '--ignored', rules], lookingThrough)),
      ),
    )
    const isIgnored = new Set(ignored)
    return (named ?? []).filter((path) => isIgnored.has(path))
  })
}

// Whole directories at the top or none of one: half of node_modules helps nobody. The small ones first.
async function withinLimits(
  root: string,
  paths: readonly string[],
): Promise<{ readonly within: readonly string[]; readonly beyond: readonly LeftOut[] }> {
  const groups = new Map<string, { readonly paths: string[]; bytes: number }>()
  const looks = await eachOf(paths, (path) => look(root, path))
  for (const [i, path] of paths.entries()) {
    const top = path.replace(/(?<=.\/).*/s, '')
    const group = groups.get(top) ?? { paths: [], bytes: 0 }
    groups.set(top, group)
    group.paths.push(path)
    group.bytes += looks[i]?.isFile() ? (looks[i]?.size ?? 0) : 0
  }
  const within: string[] = []
  const beyond: LeftOut[] = []
  let bytes = 0
  for (const [top, group] of [...groups].toSorted(([, a], [, b]) => a.bytes - b.bytes)) {
    if (within.length + group.paths.length > most.files || bytes + group.bytes > most.bytes) {
      const size = `${group.paths.length.toLocaleString('en')} files, ${Math.ceil(group.bytes / 2 ** 20).toLocaleString('en')} MB`
      beyond.push({ path: toText(top), why: `too much to copy: ${size}` })
    } else {
      within.push(...group.paths)
      bytes += group.bytes
    }
  }
  return { within, beyond }
}

/** Gives null when it was copied, else why not. */
function copier(root: string, held: HeldDirectory, to: string): (path: string) => Promise<string | null> {
  const isBeyondHere = beyondLinks(root)
  const isBeyondThere = beyondLinks(to)
  return async (path) => {
    if (path.endsWith('/')) return 'it is a repository of its own'
    if (await isBeyondHere(path)) return 'it is behind a link'
    const found = await look(root, path)
    if (!found) return 'it is gone'
    const [source, target] = [fullPath(root, path), fullPath(to, path)]
    try {
      const parent = path.includes('/') ? fullPath(to, path.slice(0, path.lastIndexOf('/'))) : Buffer.from(to)
      if (await isBeyondThere(path)) return 'a link is in its place in the worktree'
      await mkdir(parent, { recursive: true })
      if (found.isSymbolicLink()) return await copyLink(root, path, source, target)
      if (!found.isFile()) return 'it is neither a file nor a link'
      return (await copyOpened(held, path, target)) ? null : 'it is behind a link'
    } catch (error) {
      return whyNot(error)
    }
  }
}

// By what was opened, which stays the same whatever is put in its place.
async function copyOpened(root: HeldDirectory, path: string, target: Buffer): Promise<boolean> {
  const file = inDirectoryOf(root, path, (directory, name) => openSync(directory.at(name), openFlags))
  if (file === null) return false
  try {
    const open = `/proc/self/fd/${file}`
    const isNamed = existsSync(open)
    // Shares the blocks with the original where the file system can.
    if (isNamed) await copyFile(open, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    else await writeFile(target, createReadStream('', { fd: file, autoClose: false }), { flag: 'wx' })
    await chmod(target, fstatSync(file).mode & 0o777)
    return true
  } finally {
    closeSync(file)
  }
}

const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

async function copyLink(root: string, path: string, source: Buffer, target: Buffer): Promise<string | null> {
  const leadsTo = await readlink(source, 'latin1')
  const outside = 'it is a link that leads out of the project'
  if (leadsTo.startsWith('/') || posix.join(posix.dirname(path), leadsTo).split('/')[0] === '..')
    return outside
  // By way of other links it may lead out all the same.
  const real = await realpath(source).catch(() => null)
  if (real !== null && !`${real}/`.startsWith(`${root}/`)) return outside
  await symlink(toBytes(leadsTo), target)
  return null
}

function whyNot(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'something is in its place in the worktree'
  if (code === 'ELOOP') return 'it is behind a link'
  if (code === 'EACCES') return 'it cannot be read'
  throw error
}
