import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Agents } from './agents/agents.ts'
import { createClaudeDriver } from './agents/claude/claude.ts'
import { createCodexDriver } from './agents/codex/codex.ts'
import type { Driver } from './agents/driver.ts'
import { createOfflineDriver } from './agents/offline/offline.ts'
import type { Bough } from './bough.ts'
import { type Config, readConfig } from './config.ts'
import { removeSession } from './forks/remove-session.ts'
import { snapshotsOfTurn } from './forks/turn-files.ts'
import type { Home } from './home.ts'
import { mustBePrompt, openChannels } from './open-channels.ts'
import { thisProcess } from './process-identity.ts'
import { diffSessions } from './store/compare.ts'
import { findOnLine, findPermission, findSession, findSnapshot, livingSession } from './store/find.ts'
import { readPage, readPositions } from './store/line.ts'
import { openStore } from './store/open.ts'
import { BoughError } from './tree/error.ts'
import { forestOf } from './tree/forest.ts'
import { type Clock, createIds, type SessionID } from './tree/ids.ts'
import type { Session } from './tree/session.ts'
import { untitled } from './tree/title.ts'
import type { WorkspaceEnd } from './tree/workspace.ts'
import { defaultLease, Ownership } from './turns/ownership.ts'
import { answerPermission } from './turns/permissions.ts'
import { Snapshots } from './turns/snapshots.ts'
import type { Turns } from './turns/turns.ts'

export interface BoughOptions {
  readonly clock?: Clock
  readonly drivers?: readonly Driver[]
  /** Milliseconds that a suspended process may keep a session. */
  readonly lease?: number
  /** Milliseconds until an agent that nobody talks to is closed. */
  readonly idleAfter?: number
  /** Milliseconds until an agent is given up that says nothing to a seed. */
  readonly seedPatience?: number
  /** Milliseconds between two looks at what time brings. */
  readonly lookEvery?: number
  /** Milliseconds that a process which stands still keeps what it has in hand. */
  readonly patience?: number
}

// Those that people would rather talk to first.
const driversOf = ({ claude, codex }: Config): readonly Driver[] => [
  createClaudeDriver(claude),
  createCodexDriver({ ...codex, mcpCommand: [process.execPath, launcher, 'mcp'] }),
  createOfflineDriver(),
]

const launcher = fileURLToPath(new URL('../bin/bough.js', import.meta.url))

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

// One that is not installed may be installed later; one that nobody knows never will be.
function mustBeKnown(agents: Agents, name: string): void {
  const known = agents.all.map((driver) => driver.name)
  if (known.includes(name)) return
  throw new BoughError(
    'agent_unknown',
    `The session was one with "${name}", an agent that is not known here. Name another with --agent: ${known.join(', ')}.`,
  )
}

/** The embedded Bough: the one that holds the store and runs the agents itself. */
export async function openBough(home: Home, options: BoughOptions = {}): Promise<Bough> {
  const clock = options.clock ?? Date.now
  const lease = options.lease ?? defaultLease
  const config = await readConfig(home)
  const ids = createIds(clock, (length) => crypto.getRandomValues(new Uint8Array(length)))
  const store = await openStore(home.data, clock)
  const agents = new Agents(options.drivers ?? driversOf(config))
  const process = thisProcess()
  const ownership = new Ownership({ store, ids, clock, lease, process })
  await ownership.reclaimAbandoned().catch(async (error) => {
    await store.close()
    throw error
  })
  const snapshots = new Snapshots({ store, ids, clock, dataDirectory: home.data })
  const setUp = config.worktree.setup
  const files = { store, ids, clock, agents, snapshots, process, dataDirectory: home.data, setUp }
  if ((await store.workspaces.underWay()).length > 0) {
    const { mendHalfMade } = await import('./forks/half-made.ts')
    await mendHalfMade(files)
  }
  // Made when the first session is talked in, or somebody watches: a command that only reads starts faster without.
  let made: Promise<Turns> | null = null
  const makeTurns = async (): Promise<Turns> => {
    const [{ Turns }, { systemPrompt }, { settle }] = await Promise.all([
      import('./turns/turns.ts'),
      import('./tree/prompts.ts'),
      import('./forks/side/settle.ts'),
    ])
    return new Turns({
      store,
      ids,
      clock,
      ownership,
      agents,
      snapshots,
      policy: { ...config.permissions, timeout: config.permissions.timeout * 1000 },
      ownDirectories: [home.data, dirname(home.config), home.config],
      renewEvery: lease / 4,
      idleAfter: options.idleAfter ?? 5 * 60_000,
      seedPatience: options.seedPatience ?? 5 * 60_000,
      systemPrompt: systemPrompt(config.forks.person),
      toolsFor: (caller) => channels.toolsFor(caller),
      afterTurn: (id) => settle(files, id),
    })
  }
  const turns = (): Promise<Turns> => {
    made ??= makeTurns()
    return made
  }
  let watching: NodeJS.Timeout | undefined
  const seeding = new Map<SessionID, Promise<void>>()
  const seed = (id: SessionID) => {
    const seeded = turns()
      .then((each) => each.seed(id))
      .finally(() => seeding.delete(id))
    seeded.catch(() => {})
    seeding.set(id, seeded)
  }

  // Whatever keeps it, the session is deleted; cleaning up looks at it again.
  const removeWorktreeOf = async ({ workspaceID }: Session): Promise<WorkspaceEnd | null> => {
    const workspace = workspaceID && (await store.workspaces.get(workspaceID))
    if (!workspace || (await store.sessions.workingIn(workspace.path)).length > 0) return null
    const { removeWorkspace } = await import('./forks/remove-workspace.ts')
    return removeWorkspace(files, workspace)
  }

  const create: Bough['create'] = async ({
    title,
    agent: named,
    model,
    directory = globalThis.process.cwd(),
    labels = [],
  } = {}) => {
    const agent = named ?? config.agent ?? (await agents.firstReady())
    await agents.mustBeInstalled(agent)
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
        model: model ?? (agent === config.agent || named === undefined ? config.model : null),
        directory: path,
        kind: 'root',
        labels,
        created: clock(),
      })
      tx.record({ kind: 'session.created', sessionID: id })
      return livingSession(tx, id)
    })
  }
  const channels = openChannels({
    ...{
      ...files,
      create,
      config: config.forks,
      lookEvery: options.lookEvery ?? 1_000,
      patience: options.patience,
    },
    turns: {
      send: async (id, prompt, signal) => (await turns()).send(id, prompt, signal),
      abort: async (id) => (await turns()).abort(id),
    },
  })

  return {
    create,
    async importDocument(document, { directory, agent: named, signal }) {
      const agent = named ?? document.session.agent
      if (named === undefined) mustBeKnown(agents, agent)
      else await agents.mustBeInstalled(named)
      const path = resolve(directory)
      await mustBeDirectory(path)
      const { importDocument } = await import('./forks/import-document.ts')
      return importDocument(files, document, { agent, directory: path, ...(signal && { signal }) })
    },
    session: (id) => livingSession(store, id),
    sessions: (query = {}) => store.sessions.list(query),
    findSession: (typed) => findSession(store, typed),
    findSnapshot: (typed) => findSnapshot(store, typed),
    async findMessage(sessionID, typed) {
      return findOnLine(store, await store.sessions.line(sessionID), typed)
    },
    async change(id, change) {
      mustNotBeBlank(change.title)
      return store.transaction(async (tx) => {
        await livingSession(tx, id)
        await tx.sessions.change(id, change, clock())
        tx.record({ kind: 'session.updated', sessionID: id })
        return livingSession(tx, id)
      })
    },
    async remove(id) {
      const session = await livingSession(store, id)
      await ownership.takeAway(id)
      const { kept, endedRuns } = await removeSession(store, id, clock())
      await Promise.allSettled(endedRuns.map(async (run) => (await turns()).abort(run)))
      return { kept, workspace: await removeWorktreeOf(session) }
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
    async status(id, query = {}) {
      const { sessionStatus } = await import('./forks/session-status.ts')
      return sessionStatus(files, id, query)
    },
    async tree(id) {
      const comebacks = {
        forks: await store.sideForks.list(),
        mains: new Set((await store.channels.all()).map(({ mainID }) => mainID)),
      }
      if (id === undefined) return forestOf(await store.sessions.all(), comebacks)
      await livingSession(store, id)
      return forestOf(await store.sessions.family(id), comebacks)
    },
    async diff(a, b, diffOptions = {}) {
      const diff = await diffSessions(store, a, b)
      if (!diffOptions.files) return diff
      const { compareFiles } = await import('./forks/compare-files.ts')
      return { ...diff, files: await compareFiles(files, { sessionID: a }, { sessionID: b }) }
    },
    async files(id, messageID) {
      const { diffFiles } = await import('./workspace/files-diff.ts')
      const { from, to } = await snapshotsOfTurn(store, id, messageID)
      return diffFiles(home.data, from, to)
    },
    async findFiles(id, { q = '', limit = 50 } = {}) {
      const { directory } = await livingSession(store, id)
      const { findFiles } = await import('./workspace/find-files.ts')
      return findFiles(home.data, directory, { q, limit })
    },
    async compareFiles(a, b) {
      const { compareFiles } = await import('./forks/compare-files.ts')
      return compareFiles(files, a, b)
    },

    async fork(id, forkOptions = {}) {
      if (forkOptions.agent !== undefined) await agents.mustBeInstalled(forkOptions.agent)
      mustNotBeBlank(forkOptions.title)
      const { fork } = await import('./forks/fork.ts')
      const forked = await fork(files, id, forkOptions)
      if (forked.context.kind === 'seed') seed(forked.id)
      return forked
    },
    async forkContext(id, forkOptions = {}) {
      const [{ beginningOf }, { contextOf }] = await Promise.all([
        import('./forks/branch.ts'),
        import('./forks/choose-context.ts'),
      ])
      return contextOf((await beginningOf(files, await livingSession(store, id), forkOptions)).context)
    },
    async seed(id) {
      await seeding.get(id)
      await livingSession(store, id)
      return store.forkSeeds.of(id)
    },
    async previewFork(id, forkOptions = {}) {
      const { previewFork } = await import('./forks/fork.ts')
      return previewFork(files, id, forkOptions)
    },
    async restore(id, restoreOptions = {}) {
      const { restore } = await import('./forks/restore.ts')
      return restore(files, id, restoreOptions)
    },
    async undo(directory, undoOptions = {}) {
      await mustBeDirectory(directory)
      const { undo } = await import('./forks/undo.ts')
      return undo(files, directory, undoOptions)
    },
    workspaces: () => store.sessions.directories(),
    async gc(gcOptions = {}) {
      const { collectGarbage } = await import('./forks/collect-garbage.ts')
      return collectGarbage(files, gcOptions)
    },
    async send(id, text, { signal = new AbortController().signal } = {}) {
      mustBePrompt(text)
      return (await turns()).send(id, await channels.promptFor(id, text), signal)
    },
    warm: async (id) => (await turns()).warm(id),
    async reopen(id) {
      await livingSession(store, id)
      return (await turns()).catchUp(id)
    },
    async lend(id, work) {
      await livingSession(store, id)
      return (await turns()).lend(id, work)
    },
    async adoptable({ directory = globalThis.process.cwd(), agent } = {}) {
      const path = resolve(directory)
      await mustBeDirectory(path)
      const { adoptable } = await import('./forks/adopt.ts')
      return adoptable(files, path, agent)
    },
    async adopt({ agent, nativeID }, adoptOptions = {}) {
      const { adopt } = await import('./forks/adopt.ts')
      const catchUp = async (id: SessionID) => (await turns()).catchUp(id)
      return adopt(files, agent, nativeID, { ...adoptOptions, catchUp })
    },
    async follow(id, turnID) {
      await livingSession(store, id)
      // While somebody watches, what dead processes have left is closed.
      return (await turns()).follow(id, turnID)
    },
    async abort(id) {
      await livingSession(store, id)
      return (await turns()).abort(id)
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
      await channels.touch(permission.sessionID)
      return { ...permission, state: allow ? 'allowed' : 'denied', scope }
    },
    ...channels.methods,
    // Who keeps time closes what dead processes have left: their runs end with their turns.
    attend(id, frontEnd) {
      void turns()
      return channels.methods.attend(id, frontEnd)
    },
    keepTime() {
      void turns()
      return channels.methods.keepTime()
    },

    events(eventOptions) {
      // While somebody watches, what dead processes have left is closed. Who begins to watch has something to show first.
      watching ??= setTimeout(() => void turns(), 100).unref()
      return store.follow(eventOptions)
    },
    agents: () => Promise.all(agents.all.map(async (each) => ({ name: each.name, ...(await each.check()) }))),
    async close({ grace = 0 } = {}) {
      clearTimeout(watching)
      if (grace > 0)
        await Promise.race([
          Promise.allSettled([channels.rest(), made?.then((each) => each.rest())]),
          pause(grace, undefined, { ref: false }),
        ])
      try {
        await channels.close()
        await (await made)?.close()
        await Promise.allSettled(seeding.values())
      } finally {
        await agents.close().finally(() => store.close())
      }
    },
  }
}
