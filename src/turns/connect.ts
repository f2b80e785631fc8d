import type { Agents } from '../agents/agents.ts'
import type { Connection, OpenOptions } from '../agents/driver.ts'
import { readPositions } from '../store/line.ts'
import type { Store } from '../store/store.ts'
import { BoughError, hasCode } from '../tree/error.ts'
import type { Clock, Ids } from '../tree/ids.ts'
import { type Line, lengthOf } from '../tree/line.ts'
import type { Session } from '../tree/session.ts'
import type { HeldSession } from './held-session.ts'
import { nativeStart } from './native-start.ts'
import type { Ownership } from './ownership.ts'
import { askPermission } from './permissions.ts'
import type { Policy } from './policy.ts'

export interface ConnectParts {
  readonly store: Store
  readonly ids: Ids
  readonly clock: Clock
  readonly ownership: Ownership
  readonly agents: Agents
  readonly policy: Policy
  readonly ownDirectories: readonly string[]
}

/** Opens a session's agent, for the turn that is about to run or will be, and those after it. */
export async function connect(parts: ConnectParts, session: Session, held: HeldSession): Promise<Connection> {
  const driver = parts.agents.named(session.agent)
  const line = await parts.store.sessions.line(session.id)
  const options = openingOf(parts, session, held, line)
  const position = positionBefore(held, line)
  const beginning = await nativeStart(parts.store, session, line, position, driver.capabilities)
  if (beginning.start === null) throw new BoughError('fork_unsupported', beginning.why)
  const { start, otherwise, unsent } = beginning
  try {
    return await driver.open({ ...options, start, unsent })
  } catch (error) {
    if (!otherwise || !hasCode(error, 'native_missing')) throw error
    return driver.open({ ...options, start: otherwise, unsent })
  }
}

/** What an agent is opened with, wherever it begins. */
export function openingOf(
  parts: ConnectParts,
  session: Session,
  held: HeldSession,
  line: Line,
): Omit<OpenOptions, 'start' | 'unsent'> {
  const { store, ownership } = parts
  const before = positionBefore(held, line)
  return {
    sessionID: session.id,
    model: session.model,
    cwd: session.directory,
    systemPrompt: '',
    history: () => Array.fromAsync(readPositions(store, line, 1, before)),
    tools: [],
    askPermission: async (request, signal) => {
      const { turn, epoch, fence } = held
      if (!turn) return { allow: false, reason: 'no turn is running' }
      turn.touched.asked(request)
      const asker = { ...parts, session, turnID: turn.id, epoch, fence, onAsked: turn.announce }
      return askPermission(asker, request, signal)
    },
    recordProcess: (pid) => ownership.recordAgent(held.sessionID, held.epoch, pid),
  }
}

// The prompt of a turn is stored already, and comes by itself.
const positionBefore = ({ turn }: HeldSession, line: Line): number => lengthOf(line) - (turn ? 1 : 0)
