import * as z from 'zod/mini'
import type { AppServer } from './app-server.ts'
import { parseLine } from './lines.ts'
import type { CommandParams } from './protocol.ts'
import { writtenAbout } from './rollout-file.ts'

/**
 * Whether a command would run outside Codex's sandbox when it is allowed. The model may ask for that with any command, and the
 * question does not say so. But Codex has written the call down by then.
 */
export async function leavesSandbox(
  server: AppServer,
  { threadId, itemId, reason }: CommandParams,
): Promise<boolean> {
  const args = argumentsIn(await writtenAbout(server, threadId, itemId), itemId)
  // A call inside another one is not written down. Then a reason is the only sign: models give one when they ask for more.
  return args === null ? Boolean(reason) : (args.sandbox_permissions ?? 'use_default') !== 'use_default'
}

const written = z.object({
  payload: z.object({ type: z.literal('function_call'), call_id: z.string(), arguments: z.string() }),
})
const commandArguments = z.object({ sandbox_permissions: z.optional(z.string()) })

function argumentsIn(entries: readonly unknown[], callID: string): z.infer<typeof commandArguments> | null {
  for (const entry of entries) {
    const { payload } = written.safeParse(entry).data ?? {}
    if (payload?.call_id === callID)
      return commandArguments.safeParse(parseLine(payload.arguments)).data ?? null
  }
  return null
}
