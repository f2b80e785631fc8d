import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { HeldDirectory, inDirectoryOf, isCode } from '../../held-directory.ts'
import type { GitPlace } from '../git.ts'
import { asideName } from '../shadow/aside-name.ts'
import { type Changes, changeTree, type Directories, readDirectories } from './changed-tree.ts'
import { type LooseObject, toObject, writeObjects } from './loose-objects.ts'

// A few small files are hashed here, and the tree is made from the one before. The index stays as it is: then they are
// found to have changed the next time too, and are read again. That costs less than writing an index, and believes
// nothing that was not read.

/** More than this goes through an index. */
export const few = { files: 32, bytes: 2 ** 20 }

/** A tree that differs from the index's by a few files; what it differs by is compared, not read. */
export interface Differing {
  readonly tree: string
  readonly differsBy: string
  readonly differing: readonly string[]
}

/** The index's tree with these files as they are on disk now; null where that is better left to git. */
export async function treeWithFew(
  place: GitPlace,
  last: Omit<Differing, 'differing'> & { readonly indexTree: string },
  paths: readonly string[],
  gone: readonly string[],
  memory: string,
): Promise<Differing | null> {
  const base = last.indexTree
  const differing = [...paths, ...gone]
  if (differing.length === 0) return { tree: base, differsBy: '', differing }
  if (differing.length > few.files) return null
  const read = readFiles(place.cwd, paths, base)
  if (!read) return null
  const differsBy = digest(read.changes, gone)
  if (differsBy === last.differsBy) return { tree: last.tree, differsBy, differing }
  const directories = await readDirectories(place, base, differing, memory)
  return directories && { tree: writeTree(place, base, directories, read, gone), differsBy, differing }
}

function digest(changes: Changes, gone: readonly string[]): string {
  const lines = [...changes].map(([path, entry]) => `${entry?.mode ?? ''} ${entry?.object ?? ''} ${path}`)
  const all = [...lines, ...gone.map((path) => `  ${path}`)].toSorted()
  return createHash('sha256').update(all.join('\0')).digest('hex')
}

/** What files are now: their changes to a tree, and their contents. */
export interface ReadFiles {
  readonly changes: Changes
  readonly blobs: readonly LooseObject[]
}

/** Writes a tree with what was read, and without what is gone. */
export function writeTree(
  place: GitPlace,
  base: string,
  directories: Directories,
  { changes, blobs }: ReadFiles,
  gone: readonly string[] = [],
): string {
  const without = gone.map((path) => [path, null] as const)
  const { tree, objects } = changeTree(directories, new Map([...without, ...changes]), base)
  const { GIT_DIR = '', GIT_INDEX_FILE = '' } = place.env
  // Beside the index, where what a killed process leaves is cleared up.
  const aside = () => asideName(join(dirname(GIT_INDEX_FILE), 'object'))
  writeObjects(join(GIT_DIR, 'objects'), aside, [...blobs, ...objects])
  return tree
}

/** Null when one of them is large, changes while it is read, or is no file. At once: they are few and small. */
export function readFiles(
  root: string,
  paths: readonly string[],
  sample: string,
  largest = few.bytes,
): ReadFiles | null {
  const changes = new Map<string, { mode: string; object: string } | null>()
  const blobs: LooseObject[] = []
  let bytes = 0
  using held = HeldDirectory.hold(root)
  for (const path of paths) {
    const file = inDirectoryOf(held, path, readSteady) ?? nothing
    bytes += file.content?.length ?? 0
    if (file.isOdd || bytes > few.bytes || (file.content?.length ?? 0) > largest) return null
    const blob = file.content && toObject('blob', file.content, sample)
    if (blob) blobs.push(blob)
    changes.set(path, blob ? { mode: file.mode, object: blob.id } : null)
  }
  return { changes, blobs }
}

interface OnDisk {
  readonly mode: string
  /** Null for nothing there. */
  readonly content: Buffer | null
  /** It cannot be had so. */
  readonly isOdd?: true
}

const nothing: OnDisk = { mode: '', content: null }
const odd: OnDisk = { ...nothing, isOdd: true }

function readSteady(directory: HeldDirectory, name: string): OnDisk {
  try {
    const found = lstatSync(directory.at(name))
    if (found.isSymbolicLink()) return { mode: '120000', content: readlinkSync(directory.at(name), 'buffer') }
    if (!found.isFile() || found.size > few.bytes) return odd
    return readOpen(directory.at(name)) ?? odd
  } catch (error) {
    return isCode(error, 'ENOENT', 'ENOTDIR') ? nothing : odd
  }
}

function readOpen(path: Buffer): OnDisk | null {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const before = fstatSync(file, { bigint: true })
    const content = readFileSync(file)
    const after = fstatSync(file, { bigint: true })
    const isSteady =
      BigInt(content.length) === before.size &&
      (['size', 'mtimeNs', 'ctimeNs', 'mode'] as const).every((each) => before[each] === after[each])
    return isSteady ? { mode: before.mode & 0o100n ? '100755' : '100644', content } : null
  } finally {
    closeSync(file)
  }
}
