import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
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
import { HeldDirectory, inDirectoryOf, isCode } from '../../held-directory.ts'
import type { Files } from '../capture/capture-files.ts'
import { GitError, startScript, toText } from '../git.ts'
import { isRules } from '../gitignore.ts'
import type { Project } from '../project.ts'
import type { Shadow } from '../shadow/shadow.ts'
import { type Deletion, isModeOnly, type Left, type RestorePlan, type Write } from './restore-plan.ts'
import { withStaging } from './staging.ts'
import { directoriesOf, isStill, type Mark } from './standing.ts'
import { damaged, type Entry, indexInfo, isRegular } from './tree-entries.ts'
import { treeWith } from './tree-with.ts'

/** So many files are done at once: one takes 20 µs, waiting for each call of it much more. */
const together = 64

/** The tree `from` plus every file that the plan would overwrite or delete and that `from` has not, or not so. */
export const treeForUndo = (
  shadow: Shadow,
  { root }: Project,
  from: Files,
  { unheld }: RestorePlan,
): Promise<string> =>
  treeWith(
    shadow,
    root,
    from.tree,
    unheld.map(({ path, ...entry }) => ({ path, entry })),
  )

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
    using held = HeldDirectory.hold(root)
    return [
      ...(await inTurn(deletions, (each) => remove(held, each, needed))),
      ...(await inTurn(inOrder, (each) => put(held, each, staged.get(each.path) ?? null))),
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
    if (isCode(error, 'EACCES', 'EPERM', 'EROFS', 'EBUSY')) return 'not writable'
    if (isCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST', 'ENOTEMPTY', 'ELOOP'))
      return 'changed meanwhile'
    throw error
  }
}

function remove(root: HeldDirectory, { path, was }: Deletion, needed: ReadonlySet<string>): Outcome {
  const outcome = inDirectoryOf(root, path, (directory, name) => {
    const found = lstatSync(directory.at(name), { throwIfNoEntry: false })
    if (found && !isStill(was.mark, found)) return 'changed meanwhile'
    if (found) unlinkSync(directory.at(name))
    return 'done'
  })
  if (outcome !== 'done') return 'changed meanwhile'
  for (const directory of directoriesOf(path).toReversed()) {
    if (needed.has(directory) || !inDirectoryOf(root, directory, removeEmpty)) break
  }
  return 'done'
}

const put = (root: HeldDirectory, write: Write, staged: string | null): Outcome =>
  inDirectoryOf(root, write.path, (directory, name) => putIn(directory, name, write, staged), 'make it') ??
  'changed meanwhile'

function putIn(directory: HeldDirectory, name: string, { to, was }: Write, staged: string | null): Outcome {
  const found = lstatSync(directory.at(name), { throwIfNoEntry: false })
  if (
    was
      ? !found || !isStill(was.mark, found)
      : found && !(found.isDirectory() && removeHollow(directory, name))
  ) {
    return 'changed meanwhile'
  }
  // Rights that are tighter than usual stay so.
  const mode = found?.isFile() && isRegular(to) ? modeFor(found.mode, to) : null
  if (staged === null)
    return was === null || mode === null ? 'done' : setMode(directory.at(name), was.mark, mode)
  if (mode !== null) setMode(staged, null, mode)
  moveTo(directory, name, staged, to)
  return 'done'
}

// Of the very file that was looked at: a link may have taken its name.
function setMode(path: string | Buffer, mark: Mark | null, mode: number): Outcome {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if (mark && !isStill(mark, fstatSync(file))) return 'changed meanwhile'
    fchmodSync(file, mode)
    return 'done'
  } finally {
    closeSync(file)
  }
}

function modeFor(mode: number, { mode: wanted }: Entry): number {
  const plain = mode & 0o666
  return wanted === '100755' ? plain | ((plain & 0o444) >> 2) | 0o100 : plain
}

// A name in the project changes from the old file to the new one at once. Where that cannot be, on another file system,
// the new one is written there.
function moveTo(directory: HeldDirectory, name: string, staged: string, to: Entry): void {
  try {
    renameSync(staged, directory.at(name))
  } catch (error) {
    if (!isCode(error, 'EXDEV')) throw error
    rmSync(directory.at(name), { force: true })
    if (isRegular(to)) copyFileSync(staged, directory.at(name), constants.COPYFILE_EXCL)
    else symlinkSync(readlinkSync(staged, 'buffer'), directory.at(name))
  }
}

// Directories that hold nothing but such.
function removeHollow(parent: HeldDirectory, name: string): boolean {
  {
    using directory = parent.enter(name)
    if (!directory) return false
    const entries = readdirSync(directory.at('.'), { encoding: 'latin1', withFileTypes: true })
    if (!entries.every((each) => each.isDirectory() && removeHollow(directory, each.name))) return false
  }
  return removeEmpty(parent, name)
}

function removeEmpty(parent: HeldDirectory, name: string): boolean {
  try {
    rmdirSync(parent.at(name))
    return true
  } catch (error) {
    if (isCode(error, 'ENOTEMPTY', 'EEXIST', 'EACCES', 'EPERM', 'EBUSY')) return false
    throw error
  }
}
