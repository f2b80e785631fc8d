import { BoughError } from '../../tree/error.ts'
import type { Json } from '../../tree/message.ts'
import type { AppServer } from './app-server.ts'
import {
  type StoredThread,
  type StoredTurn,
  storedThreadReply,
  storedThreadsReply,
  storedTurnsReply,
} from './protocol.ts'
import { threadFailure } from './thread-failure.ts'

const pageSize = 50

/** All but those that agents started for themselves. */
const sourceKinds = ['cli', 'vscode', 'exec', 'appServer', 'unknown']

/** The threads of these directories that are not archived, the one that was used last first. */
export async function threadsIn(
  server: AppServer,
  directories: readonly string[],
): Promise<readonly StoredThread[]> {
  // In any other order Codex loses threads of the same moment at the end of a page.
  const sortKey = 'recency_at'
  const params = { cwd: directories, sourceKinds, modelProviders: [], sortKey, limit: pageSize }
  return allPages(async (cursor) =>
    storedThreadsReply.parse(await server.request('thread/list', { ...params, cursor })),
  )
}

/** What Codex knows of a thread, without what was said. It knows some whose files are gone. */
export async function threadOf(server: AppServer, threadId: string): Promise<StoredThread> {
  const { thread } = storedThreadReply.parse(await ask(server, 'thread/read', { threadId }))
  return thread
}

/** The turns along the line that Codex would go on from, the oldest first. */
export async function turnsOf(
  server: AppServer,
  threadId: string,
  itemsView: 'full' | 'notLoaded',
): Promise<readonly StoredTurn[]> {
  const params = { threadId, itemsView, sortDirection: 'asc', limit: pageSize }
  return allPages(async (cursor) => {
    const reply = storedTurnsReply.safeParse(await ask(server, 'thread/turns/list', { ...params, cursor }))
    if (reply.success) return reply.data
    throw new BoughError(
      'native_unreadable',
      'Codex tells this session in a way that bough does not understand. Another version of Codex may help.',
      { cause: reply.error },
    )
  })
}

async function ask(server: AppServer, method: string, params: Json): Promise<unknown> {
  try {
    return await server.request(method, params)
  } catch (cause) {
    throw threadFailure(cause)
  }
}

interface Page<T> {
  readonly data: readonly T[]
  readonly nextCursor?: string | null | undefined
}

async function allPages<T>(askFor: (cursor: string | null) => Promise<Page<T>>): Promise<readonly T[]> {
  const all: T[] = []
  let cursor: string | null = null
  do {
    const page: Page<T> = await askFor(cursor)
    all.push(...page.data)
    cursor = page.nextCursor ?? null
  } while (cursor !== null)
  return all
}
