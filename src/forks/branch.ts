import type { Agents } from '../agents/agents.ts'
import { livingSession, onLine } from '../store/find.ts'
import type { Store, Transaction } from '../store/store.ts'
import { type ContextMode, newSeed } from '../tree/fork-seed.ts'
import type { Clock, Ids, MessageID, SessionID, SnapshotID, WorkspaceID } from '../tree/ids.ts'
import type { Part } from '../tree/message.ts'
import type { SandboxMode } from '../tree/sandbox.ts'
import type { Session, SessionKind } from '../tree/session.ts'
import { forkTitle } from '../tree/title.ts'
import { addMessages } from '../turns/add-messages.ts'
import { mustNotBeRemoved } from '../turns/must-not-be-removed.ts'
import { type ChosenContext, chooseContext } from './choose-context.ts'
import { forkModel } from './fork-model.ts'
import { forkPointOf, type WantedPoint } from './fork-point.ts'

export interface BranchOptions extends WantedPoint {
  readonly title?: string
  readonly agent?: string
  readonly model?: string
  readonly sandbox?: SandboxMode
  readonly context?: ContextMode
  /** Absent: a branch. */
  readonly kind?: SessionKind
}

export interface BranchParts {
  readonly store: Store
  readonly ids: Ids
  readonly clock: Clock
  readonly agents: Agents
}

/** Who a fork is, where it begins, and how it gets the conversation before it. */
export interface Beginning {
  readonly id: SessionID
  readonly forkPoint: MessageID | null
  readonly context: ChosenContext
}

/** What a fork has of its own besides its row. */
export interface OwnThings {
  readonly directory?: string
  readonly workspaceID?: WorkspaceID
  /** Told to the person, as the fork's first message. */
  readonly notice?: string
  /** Told to the agent with its first prompt; stored in the same message as the notice. */
  readonly told?: string | null
  /** The files that it begins with, noted at that message. */
  readonly snapshotID?: SnapshotID
}

/** Finds where a fork of a session begins. */
export async function beginningOf(
  { store, ids, agents }: BranchParts,
  parent: Session,
  options: BranchOptions,
): Promise<Beginning> {
  const id = ids.session()
  const forkPoint = await forkPointOf(store, parent, options)
  return { id, forkPoint, context: await chooseContext(store, agents, parent, forkPoint, id, options) }
}

/**
 * Stores a fork that begins at a fork point which was found before. It is one new row, and one for its seed if it needs one:
 * nothing is copied, and a kill leaves no half of it.
 */
export async function beginFork(
  tx: Transaction,
  parts: BranchParts,
  parentID: SessionID,
  { id, forkPoint, context }: Beginning,
  options: BranchOptions,
  own: OwnThings = {},
): Promise<Session> {
  const parent = await livingSession(tx, parentID)
  const { ids, clock } = parts
  // It may have been deleted since it was found.
  if (forkPoint !== null) await onLine(tx, await tx.sessions.line(parentID), forkPoint)
  const agent = options.agent ?? parent.agent
  const directory = own.directory ?? parent.directory
  await mustNotBeRemoved(tx, directory)
  await tx.sessions.insert({
    id,
    parentID,
    forkPoint,
    title: options.title ?? forkTitle(parent.title),
    titled: options.title !== undefined,
    agent,
    model: forkModel(parent, options),
    directory,
    sandbox: options.sandbox ?? sandboxFrom(parent, options.kind),
    workspaceID: own.workspaceID ?? parent.workspaceID,
    kind: options.kind ?? 'branch',
    labels: parent.labels,
    created: clock(),
  })
  tx.record({ kind: 'session.created', sessionID: id })
  if (context.kind === 'seed') {
    const { kind: _, warning: __, ...seed } = context
    const from = { sessionID: id, agent, parentID, parentWorkspaceID: parent.workspaceID, why: seed.why }
    await tx.forkSeeds.insert({ ...newSeed({ id: ids.seed(), ...from, created: clock() }), ...seed })
  }
  if (own.notice !== undefined) await tellFirst(tx, { ids, clock }, id, own.notice, own)
  return livingSession(tx, id)
}

// What a person chose for a conversation that they watch says nothing of runs that nobody watches; a sandbox is kept.
const sandboxFrom = ({ sandbox }: Session, kind: SessionKind = 'branch'): SandboxMode | null =>
  kind === 'background' && sandbox === 'off' ? null : sandbox

async function tellFirst(
  tx: Transaction,
  { ids, clock }: Pick<BranchParts, 'ids' | 'clock'>,
  sessionID: SessionID,
  text: string,
  { snapshotID, told = null }: OwnThings,
): Promise<void> {
  const id = ids.message()
  const parts: Part[] = [
    { type: 'notice', text },
    ...(told === null ? [] : [{ type: 'context' as const, text: told }]),
  ]
  await addMessages(tx, sessionID, [{ id, role: 'system', parts, status: 'complete', created: clock() }])
  if (snapshotID) await tx.snapshots.mark(id, snapshotID)
}
