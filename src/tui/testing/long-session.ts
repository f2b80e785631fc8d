import type { Bough } from '../../bough.ts'
import type { MessageID } from '../../tree/ids.ts'
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

/** Lets what a conversation reads further up wait for something; `read` is told of each page. */
export const slowUpwards =
  (until: Promise<void>, read: (before: MessageID) => void = () => {}) =>
  (bough: Bough): Bough => ({
    ...bough,
    messages: async (id, query) => {
      // So much a conversation reads at once; a search reads more.
      if (!query?.before || query.limit !== 100) return bough.messages(id, query)
      await until
      const found = await bough.messages(id, query)
      read(query.before)
      return found
    },
  })
