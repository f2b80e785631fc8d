import type { Agents } from '../agents/agents.ts'
import type { AskPermission, Connection, OpenOptions, Tool } from '../agents/driver.ts'
import type { Sandbox } from '../agents/sandbox/sandbox.ts'
import { readPositions } from '../store/line.ts'
import type { Store } from '../store/store.ts'
import { BoughError, hasCode } from '../tree/error.ts'
import type { Clock, Ids, SessionID, TurnID } from '../tree/ids.ts'
import { type Line, lengthOf } from '../tree/line.ts'
import type { Session } from '../tree/session.ts'
import type { AccessLimits } from './file-access.ts'
import type { HeldSession } from './held-session.ts'
import { nativeStart } from './native-start.ts'
import type { Ownership } from './ownership.ts'
import { askPermission } from './permissions.ts'
import type { Policy } from './policy.ts'
import type { ProjectTrust } from './project-trust.ts'
import type { SessionSandboxes } from './session-sandboxes.ts'

export interface ConnectParts {
  readonly store: Store
  readonly ids: Ids
  readonly clock: Clock
  readonly ownership: Ownership
  readonly agents: Agents
  /** As the person has it now: they may change it while a session runs. */
  policy(): Promise<Policy>
  readonly trust: ProjectTrust
  readonly limits: AccessLimits
  readonly sandboxes: SessionSandboxes
  /** What every agent is told of bough. */
  readonly systemPrompt: string
  /** bough's own tools, for the agent of one session. */
  toolsFor(caller: Caller): Promise<readonly Tool[]>
}

/** Who calls one of bough's tools: bound when the agent is opened, never looked up. */
export interface Caller {
  readonly sessionID: SessionID
  /** The turn that runs; null when none does. */
  turnID(): TurnID | null
  /** For the few tools that a person has to approve. */
  readonly askPermission: (request: Parameters<AskPermission>[0]) => ReturnType<AskPermission>
}

/** Opens a session's agent, for the turn that is about to run or will be, and those after it. */
export async function connect(parts: ConnectParts, session: Session, held: HeldSession): Promise<Connection> {
  const driver = parts.agents.named(session.agent)
  const line = await parts.store.sessions.line(session.id)
  const { sandbox, ...options } = await openingOf(parts, session, held, line)
  const position = positionBefore(held, line)
  const beginning = await nativeStart(parts.store, session, line, position, driver.capabilities)
  if (beginning.start === null) throw new BoughError('fork_unsupported', beginning.why)
  const { start, otherwise, unsent } = beginning
  return parts.sandboxes.attach(session.id, sandbox, async () => {
    try {
      return await driver.open({ ...options, sandbox, start, unsent })
    } catch (error) {
      if (!otherwise || !hasCode(error, 'native_missing')) throw error
      return driver.open({ ...options, sandbox, start: otherwise, unsent })
    }
  })
}

/** What an agent is opened with, wherever it begins. */
export async function openingOf(
  parts: ConnectParts,
  session: Session,
  held: HeldSession,
  line: Line,
): Promise<Omit<OpenOptions, 'start' | 'unsent'> & { readonly sandbox: Sandbox | null }> {
  const { store, ownership } = parts
  const before = positionBefore(held, line)
  const ask: AskPermission = async (request, signal) => {
    const { turn, epoch, fence } = held
    if (!turn) return { allow: false, reason: 'no turn is running' }
    turn.touched.asked(request)
    const asker = { ...parts, session, turnID: turn.id, epoch, fence, onAsked: turn.announce }
    return askPermission(asker, request, signal)
  }
  const caller: Caller = {
    sessionID: session.id,
    turnID: () => held.turn?.id ?? null,
    askPermission: (request) => ask(request, held.turn?.signal ?? AbortSignal.abort()),
  }
  return {
    sessionID: session.id,
    model: session.model,
    cwd: session.directory,
    systemPrompt: parts.systemPrompt,
    project: await parts.trust.accessFor(parts.agents.named(session.agent), session.directory),
    history: () => Array.fromAsync(readPositions(store, line, 1, before)),
    tools: await parts.toolsFor(caller),
    askPermission: ask,
    sandbox: await parts.sandboxes.open(session),
    recordProcess: (pid) => ownership.recordAgent(held.sessionID, held.epoch, pid),
  }
}

// The prompt of a turn is stored already, and comes by itself.
const positionBefore = ({ turn }: HeldSession, line: Line): number => lengthOf(line) - (turn ? 1 : 0)
