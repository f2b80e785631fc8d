import { resolve } from 'node:path'
import type { Bough, CreateOptions } from './bough.ts'
import { mustBeDirectory, mustBeKnown, mustBeTitle } from './check-input.ts'
import type { Config } from './config.ts'
import type { ForkParts } from './forks/fork-options.ts'
import { snapshotsOfTurn } from './forks/turn-files.ts'
import { diffSessions } from './store/compare.ts'
import { findOnLine, findSession, findSnapshot, livingSession } from './store/find.ts'
import { readPage, readPositions } from './store/line.ts'
import type { Transaction } from './store/store.ts'
import { forestOf } from './tree/forest.ts'
import type { Session } from './tree/session.ts'
import { untitled } from './tree/title.ts'

interface OpenSessionsParts extends ForkParts {
  readonly config: Config
}

type SessionMethods = Pick<
  Bough,
  | ('create' | 'importDocument' | 'session' | 'sessions' | 'findSession' | 'findSnapshot' | 'findMessage')
  | ('change' | 'messages' | 'line' | 'children' | 'status' | 'tree' | 'diff' | 'files' | 'findFiles')
  | ('compareFiles' | 'workspaces')
>

/** Checks what a new session is to be; what it resolves with stores it, in a transaction that may do more. */
export async function newSession(
  { ids, clock, agents, config }: Pick<OpenSessionsParts, 'ids' | 'clock' | 'agents' | 'config'>,
  { title, agent: named, model, directory = process.cwd(), sandbox, labels = [] }: CreateOptions = {},
): Promise<(tx: Transaction) => Promise<Session>> {
  const agent = named ?? config.agent ?? (await agents.firstReady())
  await agents.mustBeInstalled(agent)
  mustBeTitle(title)
  const path = resolve(directory)
  await mustBeDirectory(path)
  const id = ids.session()
  return async (tx) => {
    await tx.sessions.insert({
      id,
      parentID: null,
      forkPoint: null,
      title: title ?? untitled,
      titled: title !== undefined,
      agent,
      model: model ?? (agent === config.agent || named === undefined ? config.model : null),
      directory: path,
      sandbox: sandbox ?? null,
      kind: 'root',
      labels,
      created: clock(),
    })
    tx.record({ kind: 'session.created', sessionID: id })
    return livingSession(tx, id)
  }
}

/** Makes, finds, reads and changes sessions: all of Bough that needs no turn. */
export function openSessions(parts: OpenSessionsParts): SessionMethods {
  const { store, clock, agents, dataDirectory } = parts

  return {
    create: async (options) => store.transaction(await newSession(parts, options)),
    async importDocument(document, { directory, agent: named, signal }) {
      const agent = named ?? document.session.agent
      if (named === undefined) mustBeKnown(agents, agent)
      else await agents.mustBeInstalled(named)
      const path = resolve(directory)
      await mustBeDirectory(path)
      const { importDocument } = await import('./forks/import-document.ts')
      return importDocument(parts, document, { agent, directory: path, ...(signal && { signal }) })
    },
    session: (id) => livingSession(store, id),
    sessions: (query = {}) => store.sessions.list(query),
    findSession: (typed) => findSession(store, typed),
    findSnapshot: (typed) => findSnapshot(store, typed),
    async findMessage(sessionID, typed) {
      return findOnLine(store, await store.sessions.line(sessionID), typed)
    },
    async change(id, change) {
      mustBeTitle(change.title)
      return store.transaction(async (tx) => {
        await livingSession(tx, id)
        await tx.sessions.change(id, change, clock())
        tx.record({ kind: 'session.updated', sessionID: id })
        return livingSession(tx, id)
      })
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
      return sessionStatus(parts, id, query)
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
      return { ...diff, files: await compareFiles(parts, { sessionID: a }, { sessionID: b }) }
    },
    async files(id, messageID) {
      const { diffFiles } = await import('./workspace/files-diff.ts')
      const { from, to } = await snapshotsOfTurn(store, id, messageID)
      return diffFiles(dataDirectory, from, to)
    },
    async findFiles(id, { q = '', limit = 50 } = {}) {
      const { directory } = await livingSession(store, id)
      const { findFiles } = await import('./workspace/find-files.ts')
      return findFiles(dataDirectory, directory, { q, limit })
    },
    async compareFiles(a, b) {
      const { compareFiles } = await import('./forks/compare-files.ts')
      return compareFiles(parts, a, b)
    },

    workspaces: () => store.sessions.directories(),
  }
}
