import type { AppServer } from './app-server.ts'
import { terminalsReply } from './protocol.ts'

/** Ends commands of a turn that was interrupted: Codex would let them run on in the background. */
export async function endCommands(
  server: AppServer,
  threadId: string,
  itemIDs: ReadonlySet<string>,
): Promise<void> {
  if (itemIDs.size === 0) return
  const { data } = terminalsReply.parse(await server.request('thread/backgroundTerminals/list', { threadId }))
  const ours = data.filter(({ itemId }) => itemIDs.has(itemId))
  await Promise.all(
    ours.map(({ processId }) =>
      server.request('thread/backgroundTerminals/terminate', { threadId, processId }),
    ),
  )
}
