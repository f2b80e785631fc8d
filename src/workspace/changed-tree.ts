import { type GitEnd, type GitPlace, startGit } from './git.ts'
import { type LooseObject, toObject } from './loose-objects.ts'
import type { Entry } from './tree-entries.ts'

// What a tree becomes when a few of its files change, without an index: git would read and write one with all files for
// it. Only directories that lead to a change are read.

/** Files by raw path; null for those that are gone. */
export type Changes = ReadonlyMap<string, Entry | null>

export interface ChangedTree {
  readonly tree: string
  /** What is new, what others refer to first. */
  readonly objects: readonly LooseObject[]
}

/** Some directories of a tree, by raw path; the top is ''. */
export type Directories = ReadonlyMap<string, ReadonlyMap<string, Entry>>

const directoryMode = '40000'

/** Tells once what is in the objects that are named to it. */
export type Objects = (input: string) => Promise<GitEnd>

/** Can be started before it is known what to ask; then it has to be asked for nothing at least. */
export const startObjects = (place: GitPlace): Objects => startGit(place, ['cat-file', '--batch'])

/** Reads those directories of a tree that lead to these paths; null when they cannot be asked for or are lost. */
export async function readDirectories(
  objects: Objects,
  tree: string,
  paths: Iterable<string>,
): Promise<Directories | null> {
  const wanted = new Set<string>([''])
  for (const path of paths) {
    for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1))
      wanted.add(path.slice(0, end))
  }
  // The names are lines to git.
  const canAsk = ![...wanted].some((path) => path.includes('\n'))
  const input = canAsk ? [...wanted].map((path) => `${tree}:${path}\n`).join('') : ''
  const { code, stdout } = await objects(input)
  return canAsk && code === 0 ? parseBatch([...wanted], stdout, tree.length / 2) : null
}

function parseBatch(wanted: readonly string[], output: string, idLength: number): Directories | null {
  const directories = new Map<string, ReadonlyMap<string, Entry>>()
  let at = 0
  for (const path of wanted) {
    const end = output.indexOf('\n', at)
    const header = output.slice(at, end)
    at = end + 1
    const [, type, size] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(header) ?? []
    if (size !== undefined) {
      const content = output.slice(at, at + Number(size))
      at += Number(size) + 1
      if (type === 'tree') directories.set(path, parseTree(content, idLength))
    } else if (path === '' || !header.endsWith(' missing')) return null
  }
  // Not there is one thing, there and not readable another.
  const isLost = (path: string) =>
    path !== '' && !directories.has(path) && entryIn(directories, path)?.mode === directoryMode
  return wanted.some(isLost) ? null : directories
}

/** What a tree has at a path whose directory was read. */
export function entryIn(directories: Directories, path: string): Entry | null {
  const [directory, name] = split(path)
  return directories.get(directory)?.get(name) ?? null
}

function split(path: string): readonly [string, string] {
  const end = path.lastIndexOf('/')
  return [path.slice(0, Math.max(0, end)), path.slice(end + 1)]
}

function parseTree(content: string, idLength: number): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>()
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(' ', at)
    const zero = content.indexOf('\0', space)
    const object = Buffer.from(content.slice(zero + 1, zero + 1 + idLength), 'latin1').toString('hex')
    entries.set(content.slice(space + 1, zero), { mode: content.slice(at, space), object })
    at = zero + 1 + idLength
  }
  return entries
}

/** The tree with the changes made. A file that stands where a directory was replaces it, and the other way round. */
export function changeTree(directories: Directories, changes: Changes, sample: string): ChangedTree {
  const objects: LooseObject[] = []
  const rewrite = (path: string, below: Changes): string | null => {
    const entries = new Map(directories.get(path))
    const groups = Map.groupBy(below, ([name]) => name.split('/', 1)[0] ?? '')
    for (const [name, group] of groups) {
      const own = group.find(([rest]) => rest === name)?.[1]
      const deeper = group.flatMap(([rest, change]) =>
        rest === name ? [] : [[rest.slice(name.length + 1), change] as const],
      )
      if (own !== undefined && entries.get(name)?.mode !== directoryMode) entries.delete(name)
      if (deeper.length > 0) {
        const tree = rewrite(path === '' ? name : `${path}/${name}`, new Map(deeper))
        if (tree !== null) entries.set(name, { mode: directoryMode, object: tree })
        else if (entries.get(name)?.mode === directoryMode) entries.delete(name)
      }
      if (own) entries.set(name, own)
    }
    if (entries.size === 0 && path !== '') return null
    const tree = toObject('tree', serialise(entries), sample)
    objects.push(tree)
    return tree.id
  }
  const tree = rewrite('', changes) ?? ''
  return { tree, objects }
}

// In git's order, directories stand as if their names ended with a slash.
function serialise(entries: ReadonlyMap<string, Entry>): Buffer {
  const sorted = [...entries]
    .map(([name, entry]) => ({ name, key: entry.mode === directoryMode ? `${name}/` : name, ...entry }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
  return Buffer.concat(
    sorted.flatMap(({ mode, name, object }) => [
      Buffer.from(`${mode} ${name}\0`, 'latin1'),
      Buffer.from(object, 'hex'),
    ]),
  )
}
