import type { AppServer } from './app-server.ts'
import { configReply } from './protocol.ts'

/** Of nearly all models that Codex knows, and of those that it does not know. It tells nobody before a turn. */
export const usualWindow = 272_000

/** How many tokens a thread holds: what the person has set, else what is usual. */
export async function contextWindowOf(server: AppServer): Promise<number> {
  const { config } = configReply.parse(await server.request('config/read', { includeLayers: false }))
  return config.model_context_window ?? usualWindow
}
