import type { Start } from '../driver.ts'
import { without } from '../unsent-prompts.ts'
import type { AppServer } from './app-server.ts'
import { turnsReply } from './protocol.ts'

const pageSize = 20

/** Which prompts Codex has not got yet. One that was killed in the middle of a turn has noted its prompt. */
export async function lackingIn(
  server: AppServer,
  start: Start,
  unsent: readonly string[],
): Promise<readonly string[]> {
  if (start.kind !== 'resume' || unsent.length === 0) return unsent
  return without(unsent, await promptsAfter(server, start.nativeID, start.at))
}

async function promptsAfter(
  server: AppServer,
  threadId: string,
  turnID: string | null,
): Promise<readonly string[]> {
  const prompts: string[] = []
  let cursor: string | null = null
  do {
    const page = turnsReply.parse(
      await server.request('thread/turns/list', { threadId, cursor, limit: pageSize, itemsView: 'summary' }),
    )
    for (const turn of page.data) {
      if (turn.id === turnID) return prompts
      for (const item of turn.items) {
        if (item.type === 'userMessage') prompts.push(...item.content.flatMap(({ text }) => text ?? []))
      }
    }
    cursor = page.nextCursor ?? null
  } while (cursor !== null)
  // Where that turn is not there, nobody knows what is new.
  return turnID === null ? prompts : []
}
