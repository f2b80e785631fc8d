import type { NativeSessions, Start } from '../agents/driver.ts'
import type { Store } from '../store/store.ts'
import { BoughError } from '../tree/error.ts'
import { lengthOf } from '../tree/line.ts'
import type { OwnCommand } from '../tree/native.ts'
import type { Session } from '../tree/session.ts'
import type { ConnectParts } from './connect.ts'
import type { HeldSession } from './held-session.ts'
import { nativeStart } from './native-start.ts'

/** The command with which an agent's own tool goes on with a session that has been prepared. */
export async function ownCommand(
  { store, agents }: ConnectParts,
  session: Session,
  { fence }: HeldSession,
): Promise<OwnCommand> {
  const { id, agent, directory } = session
  const { native, capabilities } = agents.named(agent)
  if (!native)
    throw new BoughError('bad_input', `The ${agent} agent has no tool of its own. Go on with "bough chat".`)
  const line = await store.sessions.line(id)
  const { start: found } = await nativeStart(store, session, line, lengthOf(line), capabilities)
  const start = (await ownFork(store, native, session)) ?? found
  if (!start || start.kind === 'fresh') {
    throw new BoughError(
      'bad_input',
      `${agent} knows nothing of this session yet. Send it a first prompt with "bough send" or "bough chat".`,
    )
  }
  const { command, nativeID } = await native.command(start, directory)
  if (nativeID !== session.nativeID) {
    await store.transaction(async (tx) => {
      await fence(tx)
      await tx.sessions.bindNative(id, nativeID)
    })
  }
  return { command, directory }
}

// A fork that was made for an earlier command, in which nothing was said yet.
async function ownFork(
  { sessions }: Store,
  native: NativeSessions,
  { id, agent, nativeID }: Session,
): Promise<Extract<Start, { kind: 'resume' }> | null> {
  if (nativeID === null || (await sessions.boundTo(agent, nativeID)) !== id) return null
  return (await native.version(nativeID)) === null ? null : { kind: 'resume', nativeID, at: null }
}
