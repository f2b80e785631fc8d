import type { Bough } from '../../bough.ts'
import type { Session } from '../../tree/session.ts'

/** A session in which these words were said, the person and the agent in turn: quicker than turns. */
export function longSession(bough: Bough, directory: string, words: readonly string[]): Promise<Session> {
  const created = Date.now()
  return bough.importDocument(
    {
      format: 'bough.session',
      version: 1,
      exported: created,
      session: {
        ...{ id: 'ses_before', title: 'Long', agent: 'offline', model: null },
        ...{ directory, labels: [], created, updated: created },
      },
      messages: words.map((text, i) => ({
        id: `msg_${i}`,
        role: i % 2 === 0 ? 'user' : 'assistant',
        status: 'complete',
        parts: [{ type: 'text', text }],
        created,
        usage: null,
      })),
    },
    { directory },
  )
}
