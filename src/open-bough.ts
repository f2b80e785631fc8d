import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Agents } from './agents/agents.ts'
import { createClaudeDriver } from './agents/claude/claude.ts'
import { createCodexDriver } from './agents/codex/codex.ts'
import type { Driver } from './agents/driver.ts'
import { createOfflineDriver } from './agents/offline/offline.ts'
import type { AgentProbe } from './agents/probe/probe-agent.ts'
import type { Bough } from './bough.ts'
import { mustBeDirectory, mustBePrompt, mustBeTitle } from './check-input.ts'
import { type Config, readConfig } from './config.ts'
import { removeSession } from './forks/remove-session.ts'
import { type Home, ownDataOf, personHomes } from './home.ts'
import { openChannels } from './open-channels.ts'
import { openPolicy } from './open-policy.ts'
import { newSession, openSessions } from './open-sessions.ts'
import { openTrust } from './open-trust.ts'
import { thisProcess } from './process-identity.ts'
import { findPermission, livingSession } from './store/find.ts'
import { checkStore as checkData, openStore } from './store/open.ts'
import { BoughError, hasCode } from './tree/error.ts'
import { type Clock, createIds, type SessionID } from './tree/ids.ts'
import { networkAccessIn } from './tree/network.ts'
import { offerOf } from './tree/permission.ts'
import type { Session } from './tree/session.ts'
import type { WorkspaceEnd } from './tree/workspace.ts'
import { defaultLease, Ownership } from './turns/ownership.ts'
import { answerPermission, notOffered } from './turns/permissions.ts'
import { filesNamedIn } from './turns/protected-names.ts'
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

/** A long line takes a model a while to read; one that says nothing for longer will not. */
const defaultSeedPatience = 5 * 60_000

// Those that people would rather talk to first.
const driversOf = ({ claude, codex }: Config): readonly Driver[] => [
  createClaudeDriver(claude),
  createCodexDriver({ ...codex, mcpCommand: ownCommand('mcp'), worktreesOf }),
  createOfflineDriver(),
]

const launcher = fileURLToPath(new URL('../bin/bough.js', import.meta.url))

const ownCommand = (name: string): readonly string[] => [process.execPath, launcher, name]

// Loaded when somebody asks for sessions of Codex.
const worktreesOf = async (directory: string): Promise<readonly string[]> =>
  (await import('./workspace/worktree/worktrees-of.ts')).worktreesOf(directory)

/** The embedded Bough: the one that holds the store and runs the agents itself. */
export async function openBough(home: Home, options: BoughOptions = {}): Promise<Bough> {
  const clock = options.clock ?? Date.now
  const lease = options.lease ?? defaultLease
  const config = await readConfig(home)
  const policy = openPolicy(home, config)
  const ids = createIds(clock, (length) => crypto.getRandomValues(new Uint8Array(length)))
  const store = await openStore(home.data, clock)
  const agents = new Agents(options.drivers ?? driversOf(config))
  const trust = openTrust(home, config, agents, clock)
  const process = thisProcess()
  const ownership = new Ownership({ store, ids, clock, lease, process })
  await ownership.reclaimAbandoned().catch(async (error) => {
    await store.close()
    throw error
  })
  const snapshots = new Snapshots({ store, ids, clock, dataDirectory: home.data })
  const setUp = config.worktree.setup
  const files = {
    store,
    ids,
    clock,
    agents,
    snapshots,
    process,
    dataDirectory: home.data,
    setUp,
    preferred: config.forks.files,
    openSetUpTrust: trust.ofSetUp,
  }
  if ((await store.workspaces.underWay()).length > 0) {
    const { mendHalfMade } = await import('./forks/half-made.ts')
    await mendHalfMade(files)
  }
  // Made when the first session is talked in, or somebody watches: a command that only reads starts faster without.
  let made: Promise<Turns> | null = null
  const makeTurns = async (): Promise<Turns> => {
    const [{ Turns }, { SessionSandboxes }, { systemPrompt }, { settle }] = await Promise.all([
      import('./turns/turns.ts'),
      import('./turns/session-sandboxes.ts'),
      import('./tree/prompts.ts'),
      import('./forks/side/settle.ts'),
    ])
    const limits = {
      ownData: ownDataOf(home),
      homes: personHomes(),
      protected: [...agents.settings, ...config.permissions.protected, ...filesNamedIn(setUp)],
    }
    return new Turns({
      store,
      ids,
      clock,
      ownership,
      agents,
      snapshots,
      trust: await trust.ofProjects(),
      dataDirectory: home.data,
      policy: policy.current,
      limits,
      sandboxes: new SessionSandboxes({
        ...{ store, limits, env: globalThis.process.env, relayCommand: ownCommand('relay') },
        ...{ mode: config.sandbox.mode, network: networkAccessIn(config.sandbox.network) ?? [] },
      }),
      renewEvery: lease / 4,
      idleAfter: options.idleAfter ?? 5 * 60_000,
      seedPatience: options.seedPatience ?? defaultSeedPatience,
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
    if (!workspace) return null
    const users = await store.sessions.workingIn(workspace.path)
    if (users.length > 0) return null
    const { removeWorkspace } = await import('./forks/remove-workspace.ts')
    return removeWorkspace(files, workspace, users)
  }

  const sessions = openSessions({ ...files, config })
  const channels = openChannels({
    ...files,
    newSession: (wanted) => newSession({ ...files, config }, wanted),
    config: config.forks,
    lookEvery: options.lookEvery ?? 1_000,
    patience: options.patience,
    turns: {
      send: async (id, prompt, signal) => (await turns()).send(id, prompt, signal),
      abort: async (id) => (await turns()).abort(id),
    },
  })

  return {
    ...sessions,
    ...channels.methods,
    async remove(id) {
      const session = await livingSession(store, id)
      const { kept, endedRuns } = await ownership.takeAway(id, () => removeSession(store, id, clock()))
      await Promise.allSettled(endedRuns.map(async (run) => (await turns()).abort(run)))
      return { kept, workspace: await removeWorktreeOf(session) }
    },

    async fork(id, forkOptions = {}) {
      if (forkOptions.agent !== undefined) await agents.mustBeInstalled(forkOptions.agent)
      mustBeTitle(forkOptions.title)
      const { fork } = await import('./forks/fork.ts')
      const forked = await fork(files, id, forkOptions)
      if (forked.context.kind === 'seed') seed(forked.id)
      return forked
    },
    async forkContext(id, forkOptions = {}) {
      const [{ beginningOf }, { forkContextOf }] = await Promise.all([
        import('./forks/branch.ts'),
        import('./forks/choose-context.ts'),
      ])
      return forkContextOf((await beginningOf(files, await livingSession(store, id), forkOptions)).context)
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
    async exit(id, { files: wanted = 'keep', ...exit }) {
      const ended = await channels.methods.exit(id, exit)
      if (wanted === 'keep') return ended
      const { withFilesPutBack } = await import('./forks/put-back-fork.ts')
      return withFilesPutBack(files, ended)
    },
    async putBack(id, options) {
      const { putBackFork } = await import('./forks/put-back-fork.ts')
      return putBackFork(files, id, options)
    },
    async undo(directory, undoOptions = {}) {
      await mustBeDirectory(directory)
      const { undo } = await import('./forks/undo.ts')
      return undo(files, directory, undoOptions)
    },
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
      return (await turns()).follow(id, turnID)
    },
    async abort(id) {
      await livingSession(store, id)
      return (await turns()).abort(id)
    },

    ...trust.methods,

    permissions: () => store.permissions.asked(),
    findPermission: (typed) => findPermission(store, typed),
    async answer(id, { allow, scope = 'call' }) {
      const permission = await store.permissions.get(id)
      if (!permission)
        throw new BoughError('not_found', `Nobody asked for ${id}. "bough approve" lists what is asked.`)
      const offer = offerOf(permission, scope)
      if (allow && !offer) throw notOffered(permission, scope)
      const answered = { state: allow ? 'allowed' : 'denied', scope: allow ? scope : 'call' } as const
      if (!(await answerPermission(store, permission, answered.state, answered.scope))) {
        throw new BoughError('permission_answered', `${id} has been answered already.`)
      }
      if (answered.scope === 'always' && offer?.rule) await policy.allowAlways(offer.rule)
      await channels.touch(permission.sessionID)
      return { ...permission, ...answered }
    },
    // Who keeps time closes what dead processes have left: their runs end with their turns.
    attend(id, frontEnd) {
      void turns()
      return channels.methods.attend(id, frontEnd)
    },
    keepTime(timeOptions) {
      void turns()
      return channels.methods.keepTime(timeOptions)
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
      // One after the other, also when one of them fails: what is left open would keep the process alive.
      await channels
        .close()
        .finally(async () => (await made)?.close())
        .finally(() => Promise.allSettled(seeding.values()))
        .finally(() => agents.close())
        .finally(() => store.close())
    },
  }
}

/** Reads all that is stored, and throws where it is damaged. */
export const checkStore = ({ data }: Home): Promise<void> => checkData(data)

/** Of the git that it would run; null where there is none. It tells also where no Bough can be opened. */
export const gitVersion = async (): Promise<string | null> =>
  (await import('./workspace/git-version.ts')).gitVersion()

/** Starts a sandbox to see whether that works here; null where it does, else why not and what to do. */
export async function sandboxFailure({ sandbox: { mode, network } }: Config): Promise<BoughError | null> {
  const { Sandbox } = await import('./agents/sandbox/sandbox.ts')
  try {
    const sandbox = await Sandbox.open({
      ...{ env: process.env, rules: [], relayCommand: [], isRequired: mode === 'on' },
      network: networkAccessIn(network) ?? [],
    })
    await sandbox.close()
    return null
  } catch (error) {
    if (hasCode(error, 'sandbox_unavailable')) return error
    throw error
  }
}

/** Whether an installed agent asks before it acts, tried out in a home of its own; null for one without settings. */
export const probeAgent = async (agent: string, config: Config): Promise<AgentProbe | null> =>
  (await import('./agents/probe/probe-agent.ts')).probeAgent(agent, config)

/** Commits all that is in a sample project; false where there is no git to do it with. */
export const commitAll = async (directory: string, subject: string): Promise<boolean> =>
  (await import('./workspace/commit-all.ts')).commitAll(directory, subject)
