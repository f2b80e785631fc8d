import type { Reader } from '../../store/store.ts'
import type { SessionID } from '../../tree/ids.ts'

const batch = 50

/** What the agent of a fork said last in it; null when it has said nothing. */
export async function lastWords(
  reader: Pick<Reader, 'sessions' | 'messages'>,
  sessionID: SessionID,
): Promise<string | null> {
  const count = (await reader.sessions.get(sessionID))?.messages ?? 0
  for (let to = count; to >= 1; to -= batch) {
    const messages = await reader.messages.range({ sessionID, from: Math.max(1, to - batch + 1), to })
    const last = messages.findLast(({ role, text }) => role === 'assistant' && text.trim() !== '')
    if (last) return last.text
  }
  return null
}
