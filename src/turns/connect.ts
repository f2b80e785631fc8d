import type { Connection, Driver, Start } from '../agents/driver.ts'
import { readPositions } from '../store/line.ts'
import type { Store } from '../store/store.ts'
import type { Clock, Ids } from '../tree/ids.ts'
import type { Session } from '../tree/session.ts'
import type { HeldSession } from './held-session.ts'
import type { Ownership } from './ownership.ts'
import { askPermission } from './permissions.ts'
import type { Policy } from './policy.ts'
import type { RunningTurn } from './running-turn.ts'

export interface ConnectParts {
  readonly store: Store
  readonly ids: Ids
  readonly clock: Clock
  readonly ownership: Ownership
  readonly policy: Policy
  readonly ownDirectories: readonly string[]
}

/** Opens a session's agent, for the turn that is about to run and those after it. */
export async function connect(
  parts: ConnectParts,
  driver: Driver,
  session: Session,
  held: HeldSession,
  turn: RunningTurn,
): Promise<Connection> {
  const { store, ownership } = parts
  const line = await store.sessions.line(session.id)
  return driver.open({
    sessionID: session.id,
    model: session.model,
    cwd: session.directory,
    systemPrompt: '',
    start: startOf(session),
    // The prompt of this turn is stored already, and comes by itself.
    history: () => Array.fromAsync(readPositions(store, line)).then((messages) => messages.slice(0, -1)),
    tools: [],
    askPermission: (request, signal) => {
      const current = held.turn ?? turn
      current.touched.asked(request)
      const { epoch, fence } = held
      const asker = { ...parts, session, turnID: current.id, epoch, fence, onAsked: current.announce }
      return askPermission(asker, request, signal)
    },
    recordProcess: (pid) => ownership.recordAgent(held.sessionID, held.epoch, pid),
  })
}

const startOf = (session: Session): Start =>
  session.nativeID === null ? { kind: 'fresh' } : { kind: 'resume', nativeID: session.nativeID }
