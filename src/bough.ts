import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Driver, DriverCheck } from './agents/driver.ts'
import { createOfflineDriver } from './agents/offline/offline.ts'
import { readConfig } from './config.ts'
import { branch } from './forks/branch.ts'
import { removeSession } from './forks/remove-session.ts'
import { headSnapshot, snapshotsOfTurn } from './forks/turn-files.ts'
import type { Home } from './home.ts'
import { costOf, diffSessions } from './store/compare.ts'
import { findOnLine, findPermission, findSession, livingSession } from './store/find.ts'
import { readPage, readPositions } from './store/line.ts'
import { openStore } from './store/open.ts'
import type { Diff } from './tree/diff.ts'
import { BoughError } from './tree/error.ts'
import type { Reset, TreeEvent } from './tree/event.ts'
import type { FilesDiff } from './tree/file-change.ts'
import { forestOf, type TreeRow } from './tree/forest.ts'
import {
  type Clock,
  createIds,
  type MessageID,
  type PermissionID,
  type SessionID,
  type TurnID,
} from './tree/ids.ts'
import type { Message } from './tree/message.ts'
import type { Permission } from './tree/permission.ts'
import type { Page, SessionQuery } from './tree/query.ts'
import type { Session, SessionChange } from './tree/session.ts'
import { untitled } from './tree/title.ts'
import type { TurnEnd, TurnEvent } from './tree/turn.ts'
import type { Cost } from './tree/usage.ts'
import { defaultLease, Ownership } from './turns/ownership.ts'
import { answerPermission } from './turns/permissions.ts'
import { thisProcess } from './turns/process-identity.ts'
import { Snapshots } from './turns/snapshots.ts'
import { needsDirectory, Turns } from './turns/turns.ts'

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
  diff(a: SessionID, b: SessionID, options?: { files?: boolean }): Promise<Diff>
  /** What the turn that a message belongs to changed in the files; without a message, the last turn. */
  files(id: SessionID, messageID?: MessageID): Promise<FilesDiff>
  cost(id: SessionID): Promise<Cost>

  fork(id: SessionID, options?: ForkOptions): Promise<Session>
  /** Resolves once the prompt is stored; waits for its place while another turn runs. */
  send(id: SessionID, text: string, options?: { signal?: AbortSignal }): Promise<Turn>
  /** Interrupts the turn that runs in the session, in whichever process; false when none does. */
  abort(id: SessionID): Promise<boolean>

  /** What agents ask and nobody has answered yet, oldest first. */
  permissions(): Promise<readonly Permission[]>
  /** One of them, by whole or shortened id. */
  findPermission(typed: string): Promise<Permission>
  answer(id: PermissionID, answer: { allow: boolean; scope?: 'call' | 'session' }): Promise<Permission>

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

export interface BoughOptions {
  readonly clock?: Clock
  readonly drivers?: readonly Driver[]
  /** Milliseconds that a suspended process may keep a session. */
  readonly lease?: number
}

async function mustBeDirectory(path: string): Promise<void> {
  const found = await stat(path).catch(() => null)
  if (found?.isDirectory()) return
  throw new BoughError(
    'directory_gone',
    found
      ? `${path} is a file. Name a directory.`
      : `There is no directory ${path}. Make it, or name another.`,
  )
}

function mustNotBeBlank(title: string | undefined): void {
  if (title?.trim() === '')
    throw new BoughError('bad_input', 'A title needs at least one character that shows.')
}

/** A prompt this long is a file that went astray, and would keep the process from everything else. */
const longestPrompt = 8_000_000

/** The embedded Bough: the one that holds the store and runs the agents itself. */
export async function openBough(home: Home, options: BoughOptions = {}): Promise<Bough> {
  const clock = options.clock ?? Date.now
  const lease = options.lease ?? defaultLease
  const config = await readConfig(home)
  const ids = createIds(clock, (length) => crypto.getRandomValues(new Uint8Array(length)))
  const store = await openStore(home.data, clock)
  const drivers = new Map((options.drivers ?? [createOfflineDriver()]).map((driver) => [driver.name, driver]))
  const ownership = new Ownership({ store, ids, clock, lease, process: thisProcess() })
  await ownership.reclaimAbandoned().catch(async (error) => {
    await store.close()
    throw error
  })
  const snapshots = new Snapshots({ store, ids, clock, dataDirectory: home.data })
  const turns = new Turns({
    store,
    ids,
    clock,
    ownership,
    drivers,
    snapshots,
    policy: { ...config.permissions, timeout: config.permissions.timeout * 1000 },
    ownDirectories: [home.data, dirname(home.config), home.config],
    renewEvery: lease / 4,
    idleAfter: 5 * 60_000,
  })

  const driverOf = (name: string): Driver => {
    const driver = drivers.get(name)
    if (driver) return driver
    throw new BoughError(
      'agent_unknown',
      `There is no agent "${name}" here. There is: ${[...drivers.keys()].join(', ')}.`,
    )
  }

  return {
    async create({ title, agent = config.agent, model, directory = process.cwd(), labels = [] } = {}) {
      driverOf(agent)
      mustNotBeBlank(title)
      const path = resolve(directory)
      await mustBeDirectory(path)
      const id = ids.session()
      return store.transaction(async (tx) => {
        await tx.sessions.insert({
          id,
          parentID: null,
          forkPoint: null,
          title: title ?? untitled,
          titled: title !== undefined,
          agent,
          model: model ?? config.model,
          directory: path,
          kind: 'root',
          labels,
          created: clock(),
        })
        tx.record({ kind: 'session.created', sessionID: id })
        return livingSession(tx, id)
      })
    },
    session: (id) => livingSession(store, id),
    sessions: (query = {}) => store.sessions.list(query),
    findSession: (typed) => findSession(store, typed),
    async findMessage(sessionID, typed) {
      return findOnLine(store, await store.sessions.line(sessionID), typed)
    },
    change(id, change) {
      mustNotBeBlank(change.title)
      return store.transaction(async (tx) => {
        await livingSession(tx, id)
        await tx.sessions.change(id, change, clock())
        tx.record({ kind: 'session.updated', sessionID: id })
        return livingSession(tx, id)
      })
    },
    async remove(id) {
      await livingSession(store, id)
      await ownership.takeAway(id)
      return removeSession(store, id)
    },

    async messages(id, page = {}) {
      await livingSession(store, id)
      return readPage(store, id, page)
    },
    async *line(id) {
      await livingSession(store, id)
      yield* readPositions(store, await store.sessions.line(id))
    },
    async children(id) {
      await livingSession(store, id)
      return store.sessions.children(id)
    },
    async tree(id) {
      if (id === undefined) return forestOf(await store.sessions.all())
      await livingSession(store, id)
      return forestOf(await store.sessions.family(id))
    },
    async diff(a, b, { files = false } = {}) {
      const diff = await diffSessions(store, a, b)
      if (!files) return diff
      const { diffSnapshots } = await import('./workspace/files-diff.ts')
      const [from, to] = [await headSnapshot(store, a), await headSnapshot(store, b)]
      return { ...diff, files: await diffSnapshots(home.data, from, to) }
    },
    async files(id, messageID) {
      const { diffSnapshots } = await import('./workspace/files-diff.ts')
      const { from, to } = await snapshotsOfTurn(store, id, messageID)
      return diffSnapshots(home.data, from, to)
    },
    cost: (id) => costOf(store, id),

    async fork(id, forkOptions = {}) {
      if (forkOptions.agent !== undefined) driverOf(forkOptions.agent)
      mustNotBeBlank(forkOptions.title)
      await needsDirectory(await livingSession(store, id))
      return branch({ store, ids, clock }, id, forkOptions)
    },
    async send(id, text, { signal = new AbortController().signal } = {}) {
      if (text.trim() === '')
        throw new BoughError('bad_input', 'There is nothing to send: the text is empty.')
      if (text.length > longestPrompt) {
        throw new BoughError(
          'bad_input',
          'The text is longer than 8 million characters. Put it in a file and say where it is.',
        )
      }
      return turns.send(id, text, signal)
    },
    async abort(id) {
      await livingSession(store, id)
      return turns.abort(id)
    },

    permissions: () => store.permissions.asked(),
    findPermission: (typed) => findPermission(store, typed),
    async answer(id, { allow, scope = 'call' }) {
      const permission = await store.permissions.get(id)
      if (!permission)
        throw new BoughError('not_found', `Nobody asked for ${id}. "bough approve" lists what is asked.`)
      if (!(await answerPermission(store, permission, allow ? 'allowed' : 'denied', scope))) {
        throw new BoughError('permission_answered', `${id} has been answered already.`)
      }
      return { ...permission, state: allow ? 'allowed' : 'denied', scope }
    },

    events: (eventOptions) => store.follow(eventOptions),
    agents: () =>
      Promise.all([...drivers.values()].map(async (each) => ({ name: each.name, ...(await each.check()) }))),
    async close() {
      try {
        await turns.close()
      } finally {
        await store.close()
      }
    },
  }
}
