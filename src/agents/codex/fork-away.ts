import { setTimeout as pause } from 'node:timers/promises'
import type { AppServer } from './app-server.ts'
import { refusal } from './approvals.ts'
import { untrustedProjects } from './project-config.ts'
import { askForThread } from './thread.ts'

/** How long Codex gets to let go of the fork. */
const timeToLetGo = 2_000

export interface Fork {
  readonly threadID: string
  readonly lastTurnID: string
  readonly cwd: string
  /** All work trees of its repository: nothing that they ship is to run for this. */
  readonly directories: readonly string[]
}

/** Forks a thread for another process: it goes on with it under the person's own settings. Gives the fork's id. */
export async function forkAway(
  server: AppServer,
  { threadID, lastTurnID, cwd, directories }: Fork,
): Promise<string> {
  const id = await askForThread(server, 'thread/fork', {
    threadId: threadID,
    lastTurnId: lastTurnID,
    cwd,
    excludeTurns: true,
    config: { thread_unload_delay_secs: 0, projects: untrustedProjects(directories) },
  })
  await letGo(server, id)
  return id
}

// Only one process can write to a thread.
async function letGo(server: AppServer, threadId: string): Promise<void> {
  const unloaded = Promise.withResolvers<void>()
  const stopListening = server.listen(threadId, {
    told: ({ method, params }) => {
      if (method === 'thread/closed' && params.threadId === threadId) unloaded.resolve()
    },
    asked: async (request) => refusal(request),
    serverEnded: () => unloaded.resolve(),
  })
  const timer = new AbortController()
  try {
    await server.request('thread/unsubscribe', { threadId })
    await Promise.race([unloaded.promise, pause(timeToLetGo, undefined, { signal: timer.signal })])
  } finally {
    timer.abort()
    stopListening()
  }
}
