import { type GitPlace, tryGit } from '../git.ts'
import type { Entry } from '../restore/tree-entries.ts'
import { replaceFile } from '../shadow/replace-file.ts'
import { textOf } from '../shadow/settings.ts'
import { type LooseObject, toObject } from './loose-objects.ts'

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

/**
 * Reads those directories of a tree that lead to these paths; null when they cannot be asked for or are lost. What git
 * said is noted in `memory`: who works on some files mostly goes on with their neighbours, and starting git takes longer
 * than all the rest.
 */
export async function readDirectories(
  place: GitPlace,
  tree: string,
  paths: Iterable<string>,
  memory: string | null = null,
): Promise<Directories | null> {
  const wanted = directoriesTo(paths)
  // The names are lines to git.
  if (wanted.some((path) => path.includes('\n'))) return null
  const noted = memory && recall(memory, tree, wanted)
  if (noted) return noted
  const input = wanted.map((path) => `${tree}:${path}\n`).join('')
  const { code, stdout } = await tryGit(place, ['cat-file', '--batch'], { input })
  if (code !== 0) return null
  const directories = parseBatch(tree, wanted, stdout)
  if (memory && directories && stdout.length <= mostNoted) {
    replaceFile(memory, `${[tree, ...wanted].join('\0')}\0\n${stdout}`)
  }
  return directories
}

/** What takes more is not noted. */
const mostNoted = 2 ** 20

function directoriesTo(paths: Iterable<string>): readonly string[] {
  const all = new Set<string>([''])
  for (const path of paths) {
    for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) all.add(path.slice(0, end))
  }
  return [...all]
}

function recall(memory: string, tree: string, wanted: readonly string[]): Directories | null {
  const text = textOf(memory)
  const end = text.indexOf('\0\n')
  const [about, ...noted] = text.slice(0, Math.max(0, end)).split('\0')
  const isThere = new Set(noted)
  if (about !== tree || !wanted.every((path) => isThere.has(path))) return null
  return parseBatch(tree, noted, text.slice(end + 2))
}

// Everything is checked against its name: notes may be damaged. Not there is one thing, there and not readable another.
function parseBatch(tree: string, asked: readonly string[], output: string): Directories | null {
  const directories = new Map<string, ReadonlyMap<string, Entry>>()
  let at = 0
  // Above before below.
  for (const path of asked) {
    const end = output.indexOf('\n', at)
    const [, id, type, size] = /^([0-9a-f]+) (\w+) (\d+)$/.exec(output.slice(at, end)) ?? []
    const isMissing = output.slice(at, end).endsWith(' missing')
    const content = output.slice(end + 1, end + 1 + Number(size ?? 0))
    at = end + 1 + (size === undefined ? 0 : Number(size) + 1)
    const above = path === '' ? { mode: directoryMode, object: tree } : entryIn(directories, path)
    if (above?.mode === directoryMode) {
      const isRight = id === above.object && nameOf(content, tree) === id
      if (!isRight) return null
      directories.set(path, parseTree(content, tree.length / 2))
    } else if (!isMissing && (type === undefined || type === 'tree')) return null
  }
  return directories
}

const nameOf = (content: string, sample: string): string =>
  toObject('tree', Buffer.from(content, 'latin1'), sample).id

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
