import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { eachOf } from '../raw-path.ts'
import { asideName } from './aside-name.ts'

/** A ref of a shadow, which keeps a snapshot's tree. */
export interface SnapshotRef {
  readonly id: string
  readonly tree: string
  /** When it was written; null for one in the common file, where only those get that the store knew. */
  readonly written: number | null
}

// As git has them: a file each, as `Shadow.keep` writes them, or a line in one file for all, which takes a hundredth of
// the space. Where a ref has both, its own file counts.
const folder = 'refs/snapshots'
const prefix = `${folder}/`
const header = '# pack-refs with: peeled fully-peeled sorted \n'

export async function readRefs(directory: string): Promise<readonly SnapshotRef[]> {
  const refs = new Map<string, SnapshotRef>()
  for (const line of (await readFile(common(directory), 'utf8').catch(() => '')).split('\n')) {
    const [tree = '', name = ''] = line.split(' ')
    if (name.startsWith(prefix)) add(refs, name.slice(prefix.length), tree, null)
  }
  const names = await readdir(join(directory, folder)).catch(() => [])
  await eachOf(names, async (id) => {
    const file = join(directory, folder, id)
    const tree = await readFile(file, 'utf8').catch(() => '')
    add(refs, id, tree.trim(), (await stat(file).catch(() => null))?.mtimeMs ?? null)
  })
  return [...refs.values()]
}

/** Makes these the refs that the common file has, and deletes the files of these and of the removed ones. */
export async function gatherRefs(
  directory: string,
  kept: readonly SnapshotRef[],
  removed: readonly SnapshotRef[],
): Promise<void> {
  const lines = kept.map(({ id, tree }) => `${tree} ${prefix}${id}\n`)
  const text = header + lines.toSorted((a, b) => (nameIn(a) < nameIn(b) ? -1 : 1)).join('')
  if ((await readFile(common(directory), 'utf8').catch(() => header)) !== text) {
    await mkdir(directory, { recursive: true })
    const aside = asideName(common(directory))
    const file = await open(aside, 'w')
    await file.writeFile(text)
    await file.sync()
    await file.close()
    await rename(aside, common(directory))
  }
  for (const { id, written } of [...removed, ...kept]) {
    if (written !== null) await rm(join(directory, folder, id), { force: true })
  }
}

const common = (directory: string): string => join(directory, 'packed-refs')

const nameIn = (line: string): string => line.slice(line.indexOf(' '))

// What is no ref (a lock, or one that a broken disk emptied) keeps nothing.
function add(refs: Map<string, SnapshotRef>, id: string, tree: string, written: number | null): void {
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(tree)) refs.set(id, { id, tree, written })
}
