import type { NativeHistory } from '../agents/driver.ts'
import { readPositions } from '../store/line.ts'
import type { Store, Transaction } from '../store/store.ts'
import type { Clock, Ids, SessionID } from '../tree/ids.ts'
import { type Line, lengthOf, positionOf, rangesOf } from '../tree/line.ts'
import { textOf } from '../tree/message.ts'
import type { NativeMessage, Reopened } from '../tree/native.ts'
import type { Session } from '../tree/session.ts'
import { forkTitle, titleFromPrompt } from '../tree/title.ts'
import { withAnswers } from '../tree/whole-groups.ts'
import { addMessages } from './add-messages.ts'
import { alignCutOff, goesOnAlike } from './align-cut-off.ts'
import { withoutSeed } from './seed/without-seed.ts'

// A session and the agent's own history of it, as they stand:
//
//   the tree's line   ── known ── known ──┬── known, but not in the history any more: it was rewound there
//   the history       ── known ── known ──┴── new: joins the session, or a branch where it was rewound

export interface ReconcileParts {
  readonly store: Store
  readonly ids: Ids
  readonly clock: Clock
}

export type Reconciled = Pick<Reopened, 'added' | 'branchID'>

/** Takes into the tree what was said in the agent's own tool, once. Nothing in the tree is changed by that. */
export async function reconcile(
  parts: ReconcileParts,
  session: Session,
  fence: (tx: Transaction) => Promise<void>,
  history: NativeHistory,
): Promise<Reconciled> {
  const { store } = parts
  const line = await store.sessions.line(session.id)
  const known = await entriesOn(store, line)
  const last = history.messages.findLastIndex(({ nativeID }) => nativeID && known.has(nativeID))
  const at = known.get(history.messages[last]?.nativeID ?? '') ?? 0
  const unseen = last < 0 ? withoutSeed(history.messages) : history.messages.slice(last + 1)
  const tail = await Array.fromAsync(readPositions(store, line, at + 1))
  const hasGone = tail.some(({ nativeID }) => nativeID !== null)
  // The past of a fork alone does not say that this is its history.
  const isOwn =
    last >= 0 || tail.some(({ nativeID, sessionID }) => nativeID !== null && sessionID === session.id)
  if (hasGone && !isOwn) return { added: 0, branchID: null }
  if (hasGone && !goesOnAlike(tail, unseen)) {
    return { added: 0, branchID: await branchOff(parts, session, fence, line, at, history, unseen) }
  }
  const { bindings, rest } = alignCutOff(tail, unseen)
  await store.transaction(async (tx) => {
    await fence(tx)
    for (const { id, nativeID } of bindings) await tx.messages.bindNative(id, nativeID)
    await append(tx, parts, session.id, rest)
    // What it lacks is looked at again: it is a reason to begin anew.
    await tx.sessions.noteNative(session.id, hasGone ? null : history.version)
  })
  return { added: rest.length, branchID: null }
}

/** Puts what an agent's own history has at the end of a session. */
export async function append(
  tx: Transaction,
  { ids, clock }: Pick<ReconcileParts, 'ids' | 'clock'>,
  sessionID: SessionID,
  messages: readonly NativeMessage[],
): Promise<void> {
  if (messages.length === 0) return
  await addMessages(
    tx,
    sessionID,
    withAnswers(messages).map((message) => ({ ...message, id: ids.message() })),
  )
  const prompt = messages.find(({ role }) => role === 'user')
  const title = prompt && titleFromPrompt(textOf(prompt.parts))
  if (title && (await tx.sessions.nameIfUntitled(sessionID, title)))
    tx.record({ kind: 'session.updated', sessionID })
  await tx.sessions.touch(sessionID, clock())
}

/** The branch goes on in the native session from now on; the session that was there before keeps what it has. */
async function branchOff(
  parts: ReconcileParts,
  session: Session,
  fence: (tx: Transaction) => Promise<void>,
  line: Line,
  at: number,
  { session: { nativeID }, version }: NativeHistory,
  unseen: readonly NativeMessage[],
): Promise<SessionID> {
  const { store, ids, clock } = parts
  const id = ids.session()
  const [point] = await Array.fromAsync(readPositions(store, line, at, at))
  await store.transaction(async (tx) => {
    await fence(tx)
    await tx.sessions.insert({
      id,
      parentID: session.id,
      forkPoint: point?.id ?? null,
      title: forkTitle(session.title),
      titled: false,
      agent: session.agent,
      model: session.model,
      directory: session.directory,
      workspaceID: session.workspaceID,
      kind: 'branch',
      labels: session.labels,
      created: clock(),
    })
    tx.record({ kind: 'session.created', sessionID: id })
    await tx.sessions.bindNative(id, nativeID)
    await append(tx, parts, id, unseen)
    await tx.sessions.noteNative(id, version)
    // Also there: when the branch is deleted, this is known.
    await tx.sessions.noteNative(session.id, version)
  })
  return id
}

/** Which positions of a line stand for which entries. */
async function entriesOn(store: Store, line: Line): Promise<ReadonlyMap<string, number>> {
  const positions = new Map<string, number>()
  for (const range of rangesOf(line, 1, lengthOf(line))) {
    for (const { seq, nativeID } of await store.messages.entries(range))
      positions.set(nativeID, positionOf(line, range.sessionID, seq) ?? 0)
  }
  return positions
}
