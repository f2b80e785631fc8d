import { type Stats, statSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { BoughError, hasCode } from '../../tree/error.ts'
import type { NativeSession } from '../../tree/native.ts'
import { toldAndWords } from '../../tree/prompts.ts'
import type { NativeCommand, NativeHistory, NativeSessions, Start } from '../driver.ts'
import type { AppServer } from './app-server.ts'
import { forkAway } from './fork-away.ts'
import type { StoredThread, StoredTurn } from './protocol.ts'
import { messagesOf } from './read-turn.ts'
import type { SharedServer } from './shared-server.ts'
import { threadOf, threadsIn, turnsOf } from './stored-threads.ts'
import { sessionIsGone } from './thread-failure.ts'

export type WorktreesOf = (directory: string) => Promise<readonly string[]>

/** The threads that Codex keeps. */
export class CodexSessions implements NativeSessions {
  readonly #shared: SharedServer
  readonly #program: string
  readonly #worktreesOf: WorktreesOf

  /** The program is what a person would type. */
  constructor(shared: SharedServer, program: string, worktreesOf: WorktreesOf) {
    this.#shared = shared
    this.#program = program
    this.#worktreesOf = worktreesOf
  }

  /** Codex tells only of single threads what they were forked from: `read` does. */
  async list(directory: string): Promise<readonly NativeSession[]> {
    const directories = await this.#namesOf(directory)
    const threads = await this.#shared.use((server) => threadsIn(server, directories))
    return threads.map((thread) => sessionOf(thread, null))
  }

  read(nativeID: string): Promise<NativeHistory> {
    return this.#shared.use(async (server) => {
      const thread = await threadOf(server, nativeID)
      // Before the turns: what comes in between makes it another version.
      const version = versionOf(thread)
      if (version === null) throw new BoughError('native_missing', sessionIsGone)
      const all = await turnsOf(server, nativeID, 'full')
      const turns = all.filter(isOver)
      const origin = await forkedFrom(server, thread, turns)
      const shared = turns.slice(0, turns.findIndex(({ id }) => id === origin?.at) + 1)
      return {
        session: sessionOf(thread, origin),
        model: thread.model ?? null,
        version,
        shared: shared.flatMap(messagesOf).length,
        messages: turns.flatMap(messagesOf),
        unfinished: all.slice(turns.length).flatMap(messagesOf),
      }
    })
  }

  version(nativeID: string): Promise<string | null> {
    return this.#shared.use(async (server) => {
      try {
        return versionOf(await threadOf(server, nativeID))
      } catch (error) {
        if (hasCode(error, 'native_missing')) return null
        throw error
      }
    })
  }

  async command(start: Exclude<Start, { kind: 'fresh' }>, cwd: string): Promise<NativeCommand> {
    const nativeID = start.kind === 'resume' ? start.nativeID : await this.#fork(start, cwd)
    return { command: [this.#program, 'resume', nativeID], nativeID }
  }

  async #fork({ nativeID, at }: Extract<Start, { kind: 'fork' }>, cwd: string): Promise<string> {
    const directories = await this.#namesOf(cwd)
    return this.#shared.use((server) =>
      forkAway(server, { threadID: nativeID, lastTurnID: at, cwd, directories }),
    )
  }

  /** A directory and the worktrees of its repository, by all names that Codex may have noted for them. */
  async #namesOf(directory: string): Promise<readonly string[]> {
    const real = await realpath(directory).catch(() => directory)
    return [...new Set([directory, real, ...(await this.#worktreesOf(real))])]
  }
}

// Codex itself counts in seconds. Its file changes with every word; after a rewind the thread has another one.
function versionOf({ path }: StoredThread): string | null {
  const file = fileAt(path)
  return file && `${path} ${file.size} ${file.mtimeMs}`
}

const fileAt = (path: string | null | undefined): Stats | null =>
  path ? (statSync(path, { throwIfNoEntry: false }) ?? null) : null

function sessionOf(thread: StoredThread, forkedFrom: NativeSession['forkedFrom']): NativeSession {
  return {
    nativeID: thread.id,
    title: thread.name ?? firstLine(toldAndWords(thread.preview).words),
    directory: thread.cwd,
    created: thread.createdAt * 1000,
    updated: thread.updatedAt * 1000,
    bytes: fileAt(thread.path)?.size ?? null,
    forkedFrom,
  }
}

const firstLine = (text: string): string => text.trim().split('\n')[0]?.trim() ?? ''

/**
 * A turn that runs in another process looks like one that was interrupted, but for its end: there is none. The same goes
 * for the last turn of a process that was killed, until there is a next one. It is told when it is surely over.
 */
function isOver({ status, completedAt }: StoredTurn, index: number, turns: readonly StoredTurn[]): boolean {
  if (status === 'inProgress') return false
  return status !== 'interrupted' || typeof completedAt === 'number' || index < turns.length - 1
}

/** A fork keeps the ids of the turns that it shares. */
async function forkedFrom(
  server: AppServer,
  { forkedFromId }: StoredThread,
  turns: readonly StoredTurn[],
): Promise<NativeSession['forkedFrom']> {
  if (!forkedFromId) return null
  const ofParent = await turnsOf(server, forkedFromId, 'notLoaded').catch((error: unknown) => {
    if (hasCode(error, 'native_missing') || hasCode(error, 'native_unreadable')) return []
    throw error
  })
  const ids = new Set(ofParent.map(({ id }) => id))
  return { nativeID: forkedFromId, at: turns.findLast(({ id }) => ids.has(id))?.id ?? null }
}
