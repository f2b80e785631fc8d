import { livingSession } from '../store/find.ts'
import { BoughError } from '../tree/error.ts'
import { filesWord } from '../tree/file-change.ts'
import type { SessionID } from '../tree/ids.ts'
import { visibleText } from '../tree/plain-text.ts'
import type { Restored } from '../tree/restore.ts'
import { type EndedFork, putBackWords } from '../tree/side-fork.ts'
import { mustHaveDirectory } from '../turns/must-have-directory.ts'
import type { Captured } from '../workspace/capture/capture-project.ts'
import { toText } from '../workspace/git.ts'
import { entriesOf, isSame } from '../workspace/restore/tree-entries.ts'
import { treeWith } from '../workspace/restore/tree-with.ts'
import { type OwnChange, ownChanges } from './fork-changes.ts'
import { type Aim, type PutBackParts, planToPutBack, putBack } from './put-back.ts'
import { sideForkOf } from './side/end-fork.ts'

interface PutBackForkParts extends PutBackParts {
  readonly dataDirectory: string
}

/**
 * Puts the files that an ended fork's turns changed back to how those turns found them. Nothing is changed where somebody
 * else has changed one of them since, or meanwhile: such files are named. `undo` takes it back.
 */
export async function putBackFork(
  parts: PutBackForkParts,
  forkID: SessionID,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<Restored> {
  const { store } = parts
  const { state, ended } = await sideForkOf(store, forkID)
  if (state === 'open')
    throw new BoughError(
      'fork_open',
      'That fork is still open. End it first; then its files can be put back.',
    )
  const session = await livingSession(store, forkID)
  await mustHaveDirectory(session)
  const aim: Aim = async (captured) => {
    const { changes } = await ownChanges(parts, forkID, ended ?? Number.POSITIVE_INFINITY)
    return aimAt(parts, captured, await toRevert(captured, changes))
  }
  if (dryRun) return planToPutBack(parts, session.directory, aim)
  return (await putBack(parts, session.directory, aim, { whenDone: async () => {} })).restored
}

/** An ended fork, with its files put back where that can be; its words say what became of them. */
export async function withFilesPutBack(parts: PutBackForkParts, ended: EndedFork): Promise<EndedFork> {
  try {
    const restored = await putBackFork(parts, ended.fork.sessionID)
    return { ...ended, restored, words: `${ended.words} ${putBackWords(restored)}` }
  } catch (error) {
    if (!(error instanceof BoughError)) throw error
    return { ...ended, words: `${ended.words} ${error.message}` }
  }
}

// A three-way look at each file: as the fork found it, as it left it, and now.
async function toRevert(
  { shadow, tree }: Captured,
  changes: readonly OwnChange[],
): Promise<readonly OwnChange[]> {
  if (changes.length === 0) return []
  const now = await entriesOf(shadow, tree)
  const open = changes.filter(({ path, before }) => !isSame(now.get(path) ?? null, before))
  const overlapping = open.filter(
    ({ path, after, isShared }) => isShared || !isSame(now.get(path) ?? null, after),
  )
  if (overlapping.length > 0) throw overlap(overlapping)
  return open
}

async function aimAt(
  { snapshots }: PutBackForkParts,
  captured: Captured,
  changes: readonly OwnChange[],
): ReturnType<Aim> {
  const { shadow, root } = captured
  const tree = await treeWith(
    shadow,
    root,
    captured.tree,
    changes.map(({ path, before }) => ({ path, entry: before })),
  )
  const { snapshot, put } = await snapshots.keep(captured, { tree, saved: true })
  return { target: snapshot, put, only: changes.map(({ path }) => path) }
}

const mostNamed = 10

function overlap(changes: readonly OwnChange[]): BoughError {
  const named = changes.slice(0, mostNamed).map(({ path }) => visibleText(toText(path)))
  const more = changes.length - named.length
  const list = named.join(', ') + (more > 0 ? ` and ${more} more` : '')
  return new BoughError(
    'restore_failed',
    `Nothing was put back: others have changed ${filesWord(changes.length)} of this fork, too: ${list}. "bough diff --files" shows the differences; put single files back by hand.`,
  )
}
