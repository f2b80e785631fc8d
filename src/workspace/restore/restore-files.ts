import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { setImmediate as others } from 'node:timers/promises'
import type { Files } from '../capture/capture-files.ts'
import { GitError, startScript, toText } from '../git.ts'
import { isRules } from '../gitignore.ts'
import type { Project } from '../project.ts'
import { fullPath } from '../raw-path.ts'
import type { Shadow } from '../shadow/shadow.ts'
import { type Deletion, isModeOnly, type Left, type RestorePlan, type Write } from './restore-plan.ts'
import { withStaging } from './staging.ts'
import { directoriesOf, isStill } from './standing.ts'
import { damaged, type Entry, indexInfo, isRegular } from './tree-entries.ts'

/** So many files are done at once: one takes 20 µs, waiting for each call of it much more. */
const together = 64

/** The tree `from` plus every file that the plan would overwrite or delete and that `from` has not, or not so. */
export async function treeForUndo(
  shadow: Shadow,
  { root }: Project,
  from: Files,
  { unheld }: RestorePlan,
): Promise<string> {
  if (unheld.length === 0) return from.tree
  const script = `git read-tree ${from.tree}; git update-index -z --add --replace --index-info; git write-tree`
  return shadow.withAside('undo', async (index) => {
    const { code, stdout, stderr } = await startScript(shadow.place(index, root), script)(indexInfo(unheld))
    if (code !== 0) throw new GitError(['write-tree'], stderr)
    return stdout.trim()
  })
}

/**
 * Writes and deletes what the plan says, and nothing else; gives what it left after all, because somebody was there
 * since. Everything is written out beside the project first, so one that cannot be read, or a full disk, changes nothing.
 * Killed at any moment it leaves each file as it was or as it should be, and one on another file system perhaps half: a
 * new plan finds the difference.
 */
export function applyRestore(
  shadow: Shadow,
  { root }: Project,
  { writes, deletions }: RestorePlan,
): Promise<readonly Left[]> {
  return withStaging(shadow, async (directory) => {
    const contents = writes.filter((write) => !isModeOnly(write))
    await writeOut(
      shadow,
      directory,
      contents.map(({ to }) => to),
    )
    const staged = new Map(contents.map(({ path }, i) => [path, join(directory, String(i))]))
    const needed = new Set(writes.flatMap(({ path }) => directoriesOf(path)))
    // What is ignored has to be settled before files appear: in a half-done state none must hide from the next capture.
    const inOrder = [
      ...writes.filter(({ path }) => isRules(path)),
      ...writes.filter(({ path }) => !isRules(path)),
    ]
    return [
      ...(await inTurn(deletions, (each) => remove(root, each, needed))),
      ...(await inTurn(inOrder, (each) => put(root, each, staged.get(each.path) ?? null))),
    ]
  })
}

// By number: the names of the project mean nothing there.
async function writeOut(shadow: Shadow, directory: string, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return
  const script = 'git update-index -z --index-info; git checkout-index -a -f'
  const numbered = indexInfo(entries.map((entry, i) => ({ ...entry, path: String(i) })))
  await shadow.withAside('restore', async (index) => {
    const { code, stderr } = await startScript(shadow.place(index, directory), script)(numbered)
    if (code !== 0) throw damaged(shadow, new GitError(['checkout-index'], stderr))
  })
}

type Outcome = 'done' | 'changed meanwhile' | 'not writable'

async function inTurn<T extends { readonly path: string }>(
  items: readonly T[],
  work: (item: T) => Outcome,
): Promise<readonly Left[]> {
  const left: Left[] = []
  for (const [i, item] of items.entries()) {
    if (i > 0 && i % together === 0) await others()
    const outcome = permitted(() => work(item))
    if (outcome !== 'done') left.push({ path: toText(item.path), why: outcome })
  }
  return left
}

function permitted(work: () => Outcome): Outcome {
  try {
    return work()
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS', 'EBUSY'].includes(codeOf(error))) return 'not writable'
    throw error
  }
}

function remove(root: string, { path, was }: Deletion, needed: ReadonlySet<string>): Outcome {
  if (!hasDirectories(root, path)) return 'changed meanwhile'
  const found = lstatSync(fullPath(root, path), { throwIfNoEntry: false })
  if (found && !isStill(was.mark, found)) return 'changed meanwhile'
  if (found) unlinkSync(fullPath(root, path))
  for (const directory of directoriesOf(path).toReversed()) {
    if (needed.has(directory) || !removeEmpty(root, directory)) break
  }
  return 'done'
}

function put(root: string, write: Write, staged: string | null): Outcome {
  const { path, to, was } = write
  if (!hasDirectories(root, path, 'make them')) return 'changed meanwhile'
  const target = fullPath(root, path)
  const found = lstatSync(target, { throwIfNoEntry: false })
  if (
    was ? !found || !isStill(was.mark, found) : found && !(found.isDirectory() && removeHollow(root, path))
  ) {
    return 'changed meanwhile'
  }
  // Rights that are tighter than usual stay so.
  const mode = found?.isFile() && isRegular(to) ? modeFor(found.mode, to) : null
  if (staged === null) {
    if (mode !== null) chmodSync(target, mode)
    return 'done'
  }
  if (mode !== null) chmodSync(staged, mode)
  moveTo(target, staged, to)
  return 'done'
}

function modeFor(mode: number, { mode: wanted }: Entry): number {
  const plain = mode & 0o666
  return wanted === '100755' ? plain | ((plain & 0o444) >> 2) | 0o100 : plain
}

// A name in the project changes from the old file to the new one at once. Where that cannot be, on another file system,
// the new one is written there.
function moveTo(target: Buffer, staged: string, to: Entry): void {
  try {
    renameSync(staged, target)
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error
    rmSync(target, { force: true })
    if (isRegular(to)) copyFileSync(staged, target, constants.COPYFILE_EXCL)
    else symlinkSync(readlinkSync(staged, 'buffer'), target)
  }
}

// Looked at for every file anew: a link that somebody puts there meanwhile would lead out of the project.
function hasDirectories(root: string, path: string, missing?: 'make them'): boolean {
  for (const directory of directoriesOf(path)) {
    const found = lstatSync(fullPath(root, directory), { throwIfNoEntry: false })
    if (found ? !found.isDirectory() : !missing) return false
    if (!found) mkdirSync(fullPath(root, directory))
  }
  return true
}

// Directories that hold nothing but such.
function removeHollow(root: string, path: string): boolean {
  const entries = readdirSync(fullPath(root, path), { encoding: 'latin1', withFileTypes: true })
  const isHollow = entries.every((each) => each.isDirectory() && removeHollow(root, `${path}/${each.name}`))
  return isHollow && removeEmpty(root, path)
}

function removeEmpty(root: string, directory: string): boolean {
  try {
    rmdirSync(fullPath(root, directory))
    return true
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'EACCES', 'EPERM', 'EBUSY'].includes(codeOf(error))) return false
    throw error
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''
