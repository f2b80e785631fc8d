import type { Agents } from '../agents/agents.ts'
import { livingSession, onLine } from '../store/find.ts'
import type { Reader, Store, Transaction } from '../store/store.ts'
import { BoughError } from '../tree/error.ts'
import type { Clock, Ids, MessageID, SessionID, SnapshotID, WorkspaceID } from '../tree/ids.ts'
import type { Session } from '../tree/session.ts'
import { forkTitle } from '../tree/title.ts'
import { nativeStart } from '../turns/native-start.ts'
import { forkPointOf, type WantedPoint } from './fork-point.ts'

export interface BranchOptions extends WantedPoint {
  readonly title?: string
  readonly agent?: string
  readonly model?: string
}

export interface BranchParts {
  readonly store: Store
  readonly ids: Ids
  readonly clock: Clock
  readonly agents: Pick<Agents, 'capabilitiesOf'>
}

/** What a fork has of its own besides its row. */
export interface Beginning {
  readonly id?: SessionID
  readonly directory?: string
  readonly workspaceID?: WorkspaceID
  /** Told to the person, as the fork's first message. */
  readonly notice?: string
  /** The files that it begins with, noted at that message. */
  readonly snapshotID?: SnapshotID
}

/** Forks a session into one that stays on its own. It is one new row: nothing is copied, and a kill leaves no half of it. */
export function branch(parts: BranchParts, parentID: SessionID, options: BranchOptions): Promise<Session> {
  return parts.store.transaction(async (tx) => {
    const parent = await livingSession(tx, parentID)
    return beginFork(tx, parts, parentID, await forkPointOf(tx, parent, options), options)
  })
}

/** Stores a fork that begins at a fork point which was found before. */
export async function beginFork(
  tx: Transaction,
  parts: BranchParts,
  parentID: SessionID,
  forkPoint: MessageID | null,
  options: BranchOptions,
  beginning: Beginning = {},
): Promise<Session> {
  const parent = await livingSession(tx, parentID)
  const { ids, clock } = parts
  await mustBeginThere(tx, parts, parent, forkPoint, options)
  const id = beginning.id ?? ids.session()
  await tx.sessions.insert({
    id,
    parentID,
    forkPoint,
    title: options.title ?? forkTitle(parent.title),
    titled: options.title !== undefined,
    agent: options.agent ?? parent.agent,
    model:
      options.model ?? (options.agent === undefined || options.agent === parent.agent ? parent.model : null),
    directory: beginning.directory ?? parent.directory,
    workspaceID: beginning.workspaceID ?? parent.workspaceID,
    kind: 'branch',
    labels: parent.labels,
    created: clock(),
  })
  tx.record({ kind: 'session.created', sessionID: id })
  if (beginning.notice !== undefined) await tellFirst(tx, { ids, clock }, id, beginning.notice, beginning)
  return livingSession(tx, id)
}

/** Throws where the agent cannot go on from there: also when that message was deleted since it was found. */
export async function mustBeginThere(
  reader: Reader,
  { agents }: Pick<BranchParts, 'agents'>,
  parent: Session,
  forkPoint: MessageID | null,
  { agent = parent.agent }: BranchOptions,
): Promise<void> {
  if (forkPoint === null) return
  const line = await reader.sessions.line(parent.id)
  const { position } = await onLine(reader, line, forkPoint)
  const fork = { id: null, agent, nativeID: null }
  const found = await nativeStart(reader, fork, line, position, agents.capabilitiesOf(agent))
  if (found.start === null) throw new BoughError('fork_unsupported', found.why)
}

async function tellFirst(
  tx: Transaction,
  { ids, clock }: Pick<BranchParts, 'ids' | 'clock'>,
  sessionID: SessionID,
  text: string,
  { snapshotID }: Beginning,
): Promise<void> {
  const id = ids.message()
  const parts = [{ type: 'notice' as const, text }]
  await tx.messages.append(sessionID, [{ id, role: 'system', parts, status: 'complete', created: clock() }])
  tx.record({ kind: 'message.added', sessionID, subjectID: id })
  if (snapshotID) await tx.snapshots.mark(id, snapshotID)
}
