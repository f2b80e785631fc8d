import type { Connection, NativeHistory } from '../agents/driver.ts'
import { livingSession } from '../store/find.ts'
import { hasCode } from '../tree/error.ts'
import { type ForkSeed, newSeed } from '../tree/fork-seed.ts'
import { lengthOf } from '../tree/line.ts'
import type { Session } from '../tree/session.ts'
import { catchUp, nothingCaughtUp } from './catch-up.ts'
import { connect } from './connect.ts'
import type { HeldSession } from './held-session.ts'
import { nativeStart } from './native-start.ts'
import { type HandOverParts, handOver } from './seed/hand-over.ts'
import { within } from './within.ts'

export interface PrepareOptions {
  readonly stop: AbortSignal
  /** Whether the agent may be opened; without, it is only looked whether it could be. */
  readonly mayOpen: boolean
}

/**
 * Makes a session ready for its agent to be opened: what was said in the agent's own tool joins it, and an agent that
 * cannot go on by itself is handed the line. Resolves with the connection that this has left open, if any.
 */
export async function prepare(
  parts: HandOverParts,
  held: HeldSession,
  { stop, mayOpen }: PrepareOptions,
): Promise<Connection | null> {
  const { store, agents } = parts
  const { native } = agents.named((await livingSession(store, held.sessionID)).agent)
  const { missing, history } = native ? await catchUp(parts, held, native, { stop }) : nothingCaughtUp
  const session = await livingSession(store, held.sessionID)
  const waiting = await store.forkSeeds.of(session.id)
  if (waiting && waiting.state !== 'sent') return handOver(parts, session, held, waiting, stop)
  const begun = missing ?? (await beginNatively(parts, session, held, history, { stop, mayOpen }))
  if (typeof begun !== 'string') return begun
  return handOver(parts, session, held, await beginSeed(parts, session, held, begun), stop)
}

// A fork is opened at once: only its agent knows whether it has that entry. Resolves with why it cannot begin, in words.
async function beginNatively(
  parts: HandOverParts,
  session: Session,
  held: HeldSession,
  history: NativeHistory | null,
  { stop, mayOpen }: PrepareOptions,
): Promise<Connection | string | null> {
  const { store, agents, seedPatience: patience } = parts
  const { id, agent } = session
  const line = await store.sessions.line(id)
  const found = await nativeStart(store, session, line, lengthOf(line), agents.named(agent).capabilities)
  if (found.start === null) return found.why
  const { start } = found
  if (start.kind === 'resume' && start.at !== null && history && !hasEntry(history, start.at))
    return `The end of this conversation is missing from ${agent}'s own history.`
  if (start.kind !== 'fork' || !mayOpen) return null
  try {
    const opening = connect(parts, session, held)
    return await within(opening, { stop, patience, what: `${agent}'s start` }, (late) => late.close())
  } catch (error) {
    if (hasCode(error, 'native_missing') || hasCode(error, 'native_unreadable')) return error.message
    throw error
  }
}

const hasEntry = ({ messages }: NativeHistory, entry: string): boolean =>
  messages.some(({ nativeID }) => nativeID === entry)

async function beginSeed(
  { store, ids, clock }: HandOverParts,
  session: Session,
  { fence }: HeldSession,
  why: string,
): Promise<ForkSeed> {
  const { id: sessionID, agent, parentID, workspaceID } = session
  const from = { sessionID, agent, parentID, parentWorkspaceID: workspaceID, why }
  const seed = newSeed({ id: ids.seed(), ...from, created: clock() })
  await store.transaction(async (tx) => {
    await fence(tx)
    await tx.forkSeeds.insert(seed)
  })
  return seed
}
