import { GitError, startScript } from '../git.ts'
import type { Shadow } from '../shadow/shadow.ts'
import { type Entry, indexInfo } from './tree-entries.ts'

/** What a path holds in the new tree; null for nothing. */
export interface PathEntry {
  readonly path: string
  readonly entry: Entry | null
}

/** Writes a tree that is another one but for some paths. */
export async function treeWith(
  shadow: Shadow,
  root: string,
  tree: string,
  paths: readonly PathEntry[],
): Promise<string> {
  if (paths.length === 0) return tree
  const script = `git read-tree ${tree}; git update-index -z --add --replace --index-info; git write-tree`
  const gone = { mode: '0', object: '0'.repeat(tree.length) }
  // Removed first: a file may stand where a directory was.
  const inOrder = paths.toSorted((a, b) => Number(a.entry !== null) - Number(b.entry !== null))
  return shadow.withAside('tree', async (index) => {
    const input = indexInfo(inOrder.map(({ path, entry }) => ({ path, ...(entry ?? gone) })))
    const { code, stdout, stderr } = await startScript(shadow.place(index, root), script)(input)
    if (code !== 0) throw new GitError(['write-tree'], stderr)
    return stdout.trim()
  })
}
