import type { Change, Reset, TreeEvent } from '../tree/event.ts'
import type { Clock } from '../tree/ids.ts'
import { type ChannelReader, type ChannelTable, channelTable } from './channels.ts'
import { type DutyReader, type DutyTable, dutyTable } from './duties.ts'
import type { Durability, Engine, Queries } from './engine.ts'
import { type EventReader, type EventTable, eventTable } from './events.ts'
import { follow } from './follow.ts'
import { type ForkSeedReader, type ForkSeedTable, forkSeedTable } from './fork-seeds.ts'
import { type InboxReader, type InboxTable, inboxTable } from './inbox.ts'
import { type LinkReader, type LinkTable, linkTable } from './links.ts'
import { type MessageReader, type MessageTable, messageTable } from './messages.ts'
import { type OutboxReader, type OutboxTable, outboxTable } from './outbox.ts'
import { type OwnerReader, type OwnerTable, ownerTable } from './owners.ts'
import { type PermissionReader, type PermissionTable, permissionTable } from './permissions.ts'
import { type ProcessReader, type ProcessTable, processTable } from './processes.ts'
import { type RequestReader, type RequestTable, requestTable } from './requests.ts'
import { type RestoreReader, type RestoreTable, restoreTable } from './restores.ts'
import { type ScheduleReader, type ScheduleTable, scheduleTable } from './schedules.ts'
import { type SessionReader, type SessionTable, sessionTable } from './sessions.ts'
import { type SideForkReader, type SideForkTable, sideForkTable } from './side-forks.ts'
import { type SnapshotReader, type SnapshotTable, snapshotTable } from './snapshots.ts'
import { type TurnReader, type TurnTable, turnTable } from './turns.ts'
import { type UpdateReader, type UpdateTable, updateTable } from './updates.ts'
import { type WorkspaceReader, type WorkspaceTable, workspaceTable } from './workspaces.ts'

/** What can be read at any time: the state after the last commit of any process. */
export interface Reader {
  readonly sessions: SessionReader
  readonly messages: MessageReader
  readonly turns: TurnReader
  readonly owners: OwnerReader
  readonly requests: RequestReader
  readonly permissions: PermissionReader
  readonly snapshots: SnapshotReader
  readonly workspaces: WorkspaceReader
  readonly restores: RestoreReader
  readonly forkSeeds: ForkSeedReader
  readonly channels: ChannelReader
  readonly sideForks: SideForkReader
  readonly updates: UpdateReader
  readonly links: LinkReader
  readonly schedules: ScheduleReader
  readonly inbox: InboxReader
  readonly outbox: OutboxReader
  readonly processes: ProcessReader
  readonly duties: DutyReader
  readonly events: EventReader
}

/** What can be done inside a transaction. */
export interface Transaction {
  readonly sessions: SessionTable
  readonly messages: MessageTable
  readonly turns: TurnTable
  readonly owners: OwnerTable
  readonly requests: RequestTable
  readonly permissions: PermissionTable
  readonly snapshots: SnapshotTable
  readonly workspaces: WorkspaceTable
  readonly restores: RestoreTable
  readonly forkSeeds: ForkSeedTable
  readonly channels: ChannelTable
  readonly sideForks: SideForkTable
  readonly updates: UpdateTable
  readonly links: LinkTable
  readonly schedules: ScheduleTable
  readonly inbox: InboxTable
  readonly outbox: OutboxTable
  readonly processes: ProcessTable
  readonly duties: DutyTable
  readonly events: EventReader
  /** Notes what this transaction changed; written as events when its body is done. */
  record(change: Change): void
}

/**
 * The tree and everything around it, durable, for several processes at once. Every state change is one transaction;
 * its events are written last, so that their numbers follow the order of commits.
 */
export class Store implements Reader {
  readonly sessions: SessionReader
  readonly messages: MessageReader
  readonly turns: TurnReader
  readonly owners: OwnerReader
  readonly requests: RequestReader
  readonly permissions: PermissionReader
  readonly snapshots: SnapshotReader
  readonly workspaces: WorkspaceReader
  readonly restores: RestoreReader
  readonly forkSeeds: ForkSeedReader
  readonly channels: ChannelReader
  readonly sideForks: SideForkReader
  readonly updates: UpdateReader
  readonly links: LinkReader
  readonly schedules: ScheduleReader
  readonly inbox: InboxReader
  readonly outbox: OutboxReader
  readonly processes: ProcessReader
  readonly duties: DutyReader
  readonly events: EventReader
  readonly #engine: Engine
  readonly #clock: Clock
  readonly #closing = new AbortController()

  constructor(engine: Engine, clock: Clock) {
    this.#engine = engine
    this.#clock = clock
    const tables = tablesOn(engine.reads)
    this.sessions = tables.sessions
    this.messages = tables.messages
    this.turns = tables.turns
    this.owners = tables.owners
    this.requests = tables.requests
    this.permissions = tables.permissions
    this.snapshots = tables.snapshots
    this.workspaces = tables.workspaces
    this.restores = tables.restores
    this.forkSeeds = tables.forkSeeds
    this.channels = tables.channels
    this.sideForks = tables.sideForks
    this.updates = tables.updates
    this.links = tables.links
    this.schedules = tables.schedules
    this.inbox = tables.inbox
    this.outbox = tables.outbox
    this.processes = tables.processes
    this.duties = tables.duties
    this.events = tables.events
  }

  /** The body makes only store calls, all of them through `tx`. */
  transaction<T>(body: (tx: Transaction) => Promise<T>, durability: Durability = 'full'): Promise<T> {
    return this.#engine.transaction(async (queries) => {
      const changes: Change[] = []
      const tables = tablesOn(queries)
      const result = await body({ ...tables, record: (change) => void changes.push(change) })
      await tables.events.append(changes, this.#clock())
      return result
    }, durability)
  }

  /** Every event after number `after` (default: from now on), in order, none missing and none twice. */
  follow(options: { after?: number; signal: AbortSignal }): AsyncIterable<TreeEvent | Reset> {
    const signal = AbortSignal.any([options.signal, this.#closing.signal])
    return follow(this.events, (listener) => this.#engine.watch(listener), { ...options, signal })
  }

  /** Calls back soon after every commit of any process, until the returned function is called. */
  watch(listener: () => void): () => void {
    return this.#engine.watch(listener)
  }

  /** Ends those who follow, too. */
  close(): Promise<void> {
    this.#closing.abort()
    return this.#engine.close()
  }
}

const tablesOn = (queries: Queries) => ({
  sessions: sessionTable(queries),
  messages: messageTable(queries),
  turns: turnTable(queries),
  owners: ownerTable(queries),
  requests: requestTable(queries),
  permissions: permissionTable(queries),
  snapshots: snapshotTable(queries),
  workspaces: workspaceTable(queries),
  restores: restoreTable(queries),
  forkSeeds: forkSeedTable(queries),
  channels: channelTable(queries),
  sideForks: sideForkTable(queries),
  updates: updateTable(queries),
  links: linkTable(queries),
  schedules: scheduleTable(queries),
  inbox: inboxTable(queries),
  outbox: outboxTable(queries),
  processes: processTable(queries),
  duties: dutyTable(queries),
  events: eventTable(queries) satisfies EventTable,
})
