import * as z from 'zod/mini'
import type { ToolEnd } from '../tool-call.ts'
import type { AppServer } from './app-server.ts'
import { writtenAbout } from './rollout-file.ts'

const written = z.object({
  payload: z.object({ type: z.literal('function_call_output'), call_id: z.string(), output: z.string() }),
})

/**
 * What the model was told of a command's end; null while it runs. Codex tells its client nothing of a command that its sandbox
 * stopped (0.166.0), but writes it down.
 */
export async function writtenEndOf(
  server: AppServer,
  threadID: string,
  callID: string,
): Promise<ToolEnd | null> {
  for (const entry of await writtenAbout(server, threadID, callID)) {
    const { payload } = written.safeParse(entry).data ?? {}
    if (payload?.call_id !== callID) continue
    const [, code, output] = /^Process exited with code (\d+)$.*?^Output:\n(.*)/ms.exec(payload.output) ?? []
    return output === undefined ? null : { output, exitCode: Number(code) }
  }
  return null
}
