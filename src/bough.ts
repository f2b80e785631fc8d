import type { Driver, DriverCheck } from './agents/driver.ts'
import type { Home } from './home.ts'
import type { Diff } from './tree/diff.ts'
import type { Reset, TreeEvent } from './tree/event.ts'
import type { TreeRow } from './tree/forest.ts'
import type { Clock, MessageID, PermissionID, SessionID, TurnID } from './tree/ids.ts'
import type { Message } from './tree/message.ts'
import type { Permission } from './tree/permission.ts'
import type { Page, SessionQuery } from './tree/query.ts'
import type { Session, SessionChange } from './tree/session.ts'
import type { TurnEnd, TurnEvent } from './tree/turn.ts'
import type { Cost } from './tree/usage.ts'

/** Everything a front end may ask for. */
export interface Bough {
  create(options?: CreateOptions): Promise<Session>
  session(id: SessionID): Promise<Session>
  /** Newest first. */
  sessions(query?: SessionQuery): Promise<readonly Session[]>
  /** By whole or shortened id, as a person types it. */
  findSession(typed: string): Promise<Session>
  /** By whole or shortened id, on that session's line. */
  findMessage(sessionID: SessionID, typed: string): Promise<Message>
  change(id: SessionID, change: SessionChange): Promise<Session>
  /** `kept` tells that a tombstone stays, since others stand on its messages. */
  remove(id: SessionID): Promise<{ readonly kept: boolean }>

  /** A page of the session's line that ends at its head, or before `before`; oldest first. */
  messages(id: SessionID, page?: Page): Promise<readonly Message[]>
  /** The whole line, oldest first, read in pieces. */
  line(id: SessionID): AsyncIterable<Message>
  children(id: SessionID): Promise<readonly Session[]>
  /** The tree around a session, or all trees; depth first, tombstones included. */
  tree(id?: SessionID): Promise<readonly TreeRow[]>
  diff(a: SessionID, b: SessionID): Promise<Diff>
  cost(id: SessionID): Promise<Cost>

  fork(id: SessionID, options?: ForkOptions): Promise<Session>
  /** Resolves once the prompt is stored; waits for its place while another turn runs. */
  send(id: SessionID, text: string, options?: { signal?: AbortSignal }): Promise<Turn>
  /** Interrupts the turn that runs in the session, in whichever process; false when none does. */
  abort(id: SessionID): Promise<boolean>

  /** What agents ask and nobody has answered yet, oldest first. */
  permissions(): Promise<readonly Permission[]>
  answer(id: PermissionID, answer: { allow: boolean; scope?: 'call' | 'session' }): Promise<Permission>
  findPermission(typed: string): Promise<Permission>

  /** Durable changes of every process, gap-free from `after` (default: from now). */
  events(options: { after?: number; signal: AbortSignal }): AsyncIterable<TreeEvent | Reset>
  agents(): Promise<readonly AgentStatus[]>
  /** Ends what runs here: turns are interrupted and stored as such, sessions let go. */
  close(): Promise<void>
}

export interface CreateOptions {
  readonly title?: string
  readonly agent?: string
  readonly model?: string
  readonly directory?: string
  readonly labels?: readonly string[]
}

export interface ForkOptions {
  /** Absent: at the head. */
  readonly messageID?: MessageID
  /** At the message before it. */
  readonly before?: boolean
  readonly title?: string
  readonly agent?: string
  readonly model?: string
}

export interface Turn {
  readonly id: TurnID
  readonly sessionID: SessionID
  readonly prompt: Message
  /** What happens, from the beginning, whenever it is read; a slow reader does not slow the turn. */
  readonly events: AsyncIterable<TurnEvent>
  readonly ended: Promise<TurnEnd>
}

export interface AgentStatus extends DriverCheck {
  readonly name: string
}

/** The embedded Bough: the one that holds the store and runs the agents itself. */
export async function openBough(_home: Home, _options: BoughOptions = {}): Promise<Bough> {
  throw new Error('not written yet')
}

export interface BoughOptions {
  readonly clock?: Clock
  readonly drivers?: readonly Driver[]
}
