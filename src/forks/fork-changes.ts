import { livingSession } from '../store/find.ts'
import { readPositions } from '../store/line.ts'
import type { Reader } from '../store/store.ts'
import type { FileChange } from '../tree/file-change.ts'
import type { SessionID } from '../tree/ids.ts'
import type { Message } from '../tree/message.ts'
import type { ForkChanges } from '../tree/side-fork.ts'
import type { Snapshot } from '../tree/snapshot.ts'
import { changesBetween, filesBetween, filesOfTurn, type TurnFiles } from '../turns/turn-changes.ts'
import { toText } from '../workspace/git.ts'
import { type Entry, isSame } from '../workspace/restore/tree-entries.ts'
import { ownWorktree } from './own-worktree.ts'

export interface ChangesParts {
  readonly store: Reader
  readonly dataDirectory: string
}

/** A file that turns of a session changed. */
export interface OwnChange {
  /** Bytes, as latin1. */
  readonly path: string
  /** Before the first turn that changed it, and after the last. */
  readonly before: Entry | null
  readonly after: Entry | null
  /** Somebody else changed it between two of these turns, or while one of them ran. */
  readonly isShared: boolean
}

interface OwnChanges {
  readonly changes: readonly OwnChange[]
  /** Some turns have no snapshot at both ends. */
  readonly isPartial: boolean
}

/** For a person: what the turns of a fork changed, up to a moment. */
export async function forkChanges(
  parts: ChangesParts,
  sessionID: SessionID,
  until = Number.POSITIVE_INFINITY,
): Promise<ForkChanges> {
  const { store } = parts
  const [{ changes, isPartial }, worktree] = await Promise.all([
    ownChanges(parts, sessionID, until),
    ownWorktree(store, sessionID),
  ])
  return { changes: changes.flatMap(fileChange), isPartial, worktree }
}

/** What the turns of a session changed, up to a moment. */
export async function ownChanges(
  parts: ChangesParts,
  sessionID: SessionID,
  until: number,
): Promise<OwnChanges> {
  const found = new Map<string, OwnChange>()
  const turns = await turnsOf(parts.store, sessionID, until)
  let isPartial = false
  for (const turn of turns) {
    if (!turn) {
      isPartial = true
      continue
    }
    const { from, to } = turn
    const differing = await changesBetween(parts.dataDirectory, from, to)
    const others = differing.length === 0 ? none : await changedBeside(parts, from, to)
    for (const { path, from: before, to: after } of differing) {
      const known = found.get(path)
      const isTouched = known !== undefined && !isSame(known.after, before)
      const isShared = known?.isShared || isTouched || others === 'anything' || others.has(path)
      found.set(path, { path, before: known ? known.before : before, after, isShared })
    }
  }
  return { changes: [...found.values()].filter(({ before, after }) => !isSame(before, after)), isPartial }
}

/** The turns of a session itself, oldest first. */
async function turnsOf(
  store: Reader,
  sessionID: SessionID,
  until: number,
): Promise<readonly (TurnFiles | null)[]> {
  const { messages } = await livingSession(store, sessionID)
  const turns: { prompt: Message; last: Message }[] = []
  for await (const message of readPositions(store, [{ sessionID, last: messages }])) {
    const turn = turns.at(-1)
    if (message.role === 'user' && message.created > until) break
    if (message.role === 'user') turns.push({ prompt: message, last: message })
    else if (turn) turn.last = message
  }
  return Promise.all(turns.map(({ prompt, last }) => filesBetween(store, prompt, last)))
}

const none: ReadonlySet<string> = new Set()

// What ran in the same files meanwhile; of a turn without both snapshots nobody knows.
async function changedBeside(
  parts: ChangesParts,
  { beside }: Snapshot,
  to: Snapshot,
): Promise<ReadonlySet<string> | 'anything'> {
  const paths = new Set<string>()
  for (const id of new Set([...beside, ...to.beside])) {
    const turn = await parts.store.turns.get(id)
    const other = turn && (await filesOfTurn(parts.store, turn.promptID))
    if (!other) return 'anything'
    for (const { path } of await changesBetween(parts.dataDirectory, other.from, other.to)) paths.add(path)
  }
  return paths
}

function fileChange({ path, before, after }: OwnChange): readonly FileChange[] {
  const change = before === null ? 'added' : after === null ? 'deleted' : 'changed'
  return [{ path: toText(path), change }]
}
