import { snapshotAt } from '../store/line.ts'
import type { Store } from '../store/store.ts'
import type { OtherTurn } from '../store/turns.ts'
import { BoughError } from '../tree/error.ts'
import { type Line, lengthOf, positionOf, rangesOf } from '../tree/line.ts'
import { visibleText } from '../tree/plain-text.ts'
import { changedByOthers, workBeside } from '../tree/prompts.ts'
import type { Session } from '../tree/session.ts'
import type { Snapshot } from '../tree/snapshot.ts'
import { onOneLine } from '../tree/text.ts'
import { toText } from '../workspace/git.ts'
import { turnsIn } from './restoring.ts'
import type { Snapshots } from './snapshots.ts'
import { changesBetween, filesOfTurn, type TurnFiles } from './turn-changes.ts'

// Two sessions in one directory overwrite each other's files without knowing it. So each is told, before its turn, what turns
// of others have changed there since its own last one, and that one is running there now.

interface Parts {
  readonly store: Store
  readonly snapshots: Snapshots
  readonly dataDirectory: string
}

/** What others do in a session's directory. */
export interface Others {
  /** For the agent. */
  readonly told: readonly string[]
  /** For the person. */
  readonly notices: readonly string[]
}

const nobody: Others = { told: [], notices: [] }

/** At most so many turns of others are looked at, the newest. */
const most = 200

/** What turns of others have changed in a session's directory since its last turn, or are about to. */
export async function othersIn(parts: Parts, session: Session): Promise<Others> {
  const { store } = parts
  const line = await store.sessions.line(session.id)
  const last = await snapshotAt(store, line, lengthOf(line))
  const since = last === null ? null : await timeAt(parts, line, last.position)
  const turns = await store.turns.since(since ?? Number.MAX_SAFE_INTEGER)
  const others = await notOnLine(store, line, session, turns)
  if (others.length === 0) return nobody
  const root = last?.snapshot.root ?? session.directory
  const here = new Set(await turnsIn(root, others))
  const found = others.filter(({ id }) => here.has(id)).slice(-most)
  const titles = new Map<string, string>()
  for (const { sessionID } of found)
    titles.set(sessionID, onOneLine((await store.sessions.get(sessionID))?.title ?? sessionID, 60))
  const changed = last ? await changesOf(parts, session, last.snapshot, found) : new Map<string, string[]>()
  const running = new Set(found.filter(({ isRunning }) => isRunning).map(({ sessionID }) => sessionID))
  const titleOf = (id: string): string => titles.get(id) ?? id
  return {
    told: [
      ...[...changed].map(([id, paths]) => changedByOthers(titleOf(id), paths)),
      ...[...running].map((id) => workBeside(titleOf(id))),
    ],
    notices: [
      ...[...changed].map(([id, paths]) => changedWords(titleOf(id), paths)),
      ...[...running].map((id) => `“${titleOf(id)}” is at work in this directory, too.`),
    ],
  }
}

const mostNamed = 5

function changedWords(title: string, paths: readonly string[]): string {
  const more = paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : ''
  const list = paths.slice(0, mostNamed).map(visibleText).join(', ')
  return `“${title}” has changed files here since the last turn of this session: ${list}${more}.`
}

async function timeAt({ store }: Parts, line: Line, position: number): Promise<number | null> {
  const [range] = rangesOf(line, position, position)
  const [message] = range ? await store.messages.range(range) : []
  return message?.created ?? null
}

async function notOnLine(
  store: Store,
  line: Line,
  { id }: Session,
  turns: readonly OtherTurn[],
): Promise<readonly OtherTurn[]> {
  const others: OtherTurn[] = []
  for (const turn of turns) {
    if (turn.sessionID === id) continue
    const isNear = line.some(({ sessionID }) => sessionID === turn.sessionID)
    const prompt = isNear ? await store.messages.get(turn.promptID) : null
    if (!prompt || positionOf(line, turn.sessionID, prompt.seq) === null) others.push(turn)
  }
  return others
}

/** The files that sessions have changed, and that are not as the session knows them. */
async function changesOf(
  parts: Parts,
  { directory }: Session,
  known: Snapshot,
  turns: readonly OtherTurn[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, Set<string>>()
  for (const [sessionID, stretches] of await stretchesOf(parts.store, turns)) {
    const paths = new Set<string>()
    for (const { from, to } of stretches)
      for (const { path } of await changesBetween(parts.dataDirectory, from, to)) paths.add(path)
    if (paths.size > 0) found.set(sessionID, paths)
  }
  if (found.size === 0) return new Map()
  // What was put back since is nobody's concern.
  const differing = await parts.snapshots.withCapture(directory, async (captured) =>
    captured.projectID === known.projectID && !known.freed
      ? new Set((await changesBetween(parts.dataDirectory, known, captured)).map(({ path }) => path))
      : null,
  )
  const changed = new Map<string, readonly string[]>()
  for (const [sessionID, paths] of found) {
    const left = [...paths].filter((path) => differing?.has(path) ?? true).map(toText)
    if (left.length > 0) changed.set(sessionID, left.toSorted())
  }
  return changed
}

// Turns of a session between which nothing changed are one stretch: of a hundred quiet ones nothing has to be compared.
async function stretchesOf(
  store: Store,
  turns: readonly OtherTurn[],
): Promise<ReadonlyMap<string, readonly TurnFiles[]>> {
  const stretches = new Map<string, TurnFiles[]>()
  for (const { sessionID, promptID, isRunning } of turns) {
    const files = isRunning ? null : await filesOfTurn(store, promptID)
    if (!files) continue
    const own = stretches.get(sessionID) ?? []
    const before = own.at(-1)
    if (before?.to.tree === files.from.tree) own[own.length - 1] = { from: before.from, to: files.to }
    else own.push(files)
    stretches.set(sessionID, own)
  }
  return stretches
}

/** The same; a turn begins also where nobody can tell. */
export async function othersOrNobody(parts: Parts, session: Session): Promise<Others> {
  try {
    return await othersIn(parts, session)
  } catch (error) {
    if (!(error instanceof BoughError)) throw error
    return nobody
  }
}
