import * as z from 'zod/mini'
import { openRegularFile } from '../../read-regular-file.ts'
import type { AppServer } from './app-server.ts'
import { parseLine } from './lines.ts'
import type { CommandParams } from './protocol.ts'
import { threadOf } from './stored-threads.ts'

/**
 * Whether a command would run outside Codex's sandbox when it is allowed. The model may ask for that with any command, and the
 * question does not say so. But Codex has written the call down by then.
 */
export async function leavesSandbox(
  server: AppServer,
  { threadId, itemId, reason }: CommandParams,
): Promise<boolean> {
  const { path } = await threadOf(server, threadId)
  const args = path ? await argumentsOf(itemId, path) : null
  // A call inside another one is not written down. Then a reason is the only sign: models give one when they ask for more.
  return args === null ? Boolean(reason) : (args.sandbox_permissions ?? 'use_default') !== 'use_default'
}

const written = z.object({
  payload: z.object({ type: z.literal('function_call'), call_id: z.string(), arguments: z.string() }),
})
const commandArguments = z.object({ sandbox_permissions: z.optional(z.string()) })

async function argumentsOf(callID: string, path: string): Promise<z.infer<typeof commandArguments> | null> {
  for (const line of (await endOf(path)).split('\n').reverse()) {
    if (!line.includes(callID)) continue
    const { payload } = written.safeParse(parseLine(line)).data ?? {}
    if (payload?.call_id === callID)
      return commandArguments.safeParse(parseLine(payload.arguments)).data ?? null
  }
  return null
}

/** Far more than what one step of a turn writes. */
const bytesToRead = 4 * 2 ** 20

async function endOf(path: string): Promise<string> {
  const file = await openRegularFile(path)
  try {
    const { size } = await file.stat()
    const position = Math.max(0, size - bytesToRead)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - position), { position })
    return buffer.subarray(0, bytesRead).toString()
  } finally {
    await file.close()
  }
}
