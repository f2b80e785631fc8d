import { setTimeout as pause } from 'node:timers/promises'
import { killMarked } from '../../process-identity.ts'
import type { AppServer } from './app-server.ts'
import { terminalsReply } from './protocol.ts'

/** Milliseconds until it is looked again, each time: a command may just be starting. */
const lookAgainAfter = [100, 1_000]

/** Ends commands of a turn that was interrupted: Codex would let them run on in the background. */
export async function endCommands(
  server: AppServer,
  threadId: string,
  itemIDs: ReadonlySet<string>,
): Promise<void> {
  if (itemIDs.size === 0) return
  const { data } = terminalsReply.parse(await server.request('thread/backgroundTerminals/list', { threadId }))
  const listed = data.filter(({ itemId }) => itemIDs.has(itemId))
  await Promise.all(
    listed.map(({ processId }) =>
      server.request('thread/backgroundTerminals/terminate', { threadId, processId }),
    ),
  )
  const left = itemIDs.difference(new Set(listed.map(({ itemId }) => itemId)))
  endUnlisted(left)
  void endLater(left)
}

async function endLater(itemIDs: ReadonlySet<string>): Promise<void> {
  for (const wait of lookAgainAfter) {
    await pause(wait, undefined, { ref: false })
    endUnlisted(itemIDs)
  }
}

// Of a command that had only just begun Codex knows nothing any more, but it runs all the same. It carries its call's id.
function endUnlisted(itemIDs: ReadonlySet<string>): void {
  for (const id of itemIDs) killMarked(`CODEX_TOOL_CALL_ID=${id}`)
}
