import type { Bough } from '../../../bough.ts'
import type { Session } from '../../../tree/session.ts'
import type { DocumentMessage } from '../../../tree/session-document.ts'

export type MadeUp = Pick<DocumentMessage, 'role' | 'parts'>

/** A session with messages that nobody had to say, tool steps too: for what only shows when there are many. */
export const madeUpSession = (
  bough: Bough,
  directory: string,
  messages: readonly MadeUp[],
): Promise<Session> =>
  bough.importDocument(
    {
      format: 'bough.session',
      version: 1,
      exported: 0,
      session: {
        ...{ id: 'ses_elsewhere', title: 'Long', agent: 'offline', model: null },
        ...{ directory, labels: [], created: 0, updated: 0 },
      },
      messages: messages.map((message, i) => ({
        ...message,
        ...{ id: `msg_${i}`, status: 'complete', created: i, usage: null },
      })),
    },
    { directory },
  )

/** The person and the agent in turn, numbered from 1. */
export const talk = (count: number): readonly MadeUp[] =>
  Array.from({ length: count }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    parts: [{ type: 'text', text: `words ${i + 1}` }],
  }))

/** Calls of a tool and what they gave, with no word beside. */
export const toolSteps = (count: number): readonly MadeUp[] =>
  Array.from({ length: count }, (_, i): readonly MadeUp[] => [
    {
      role: 'assistant',
      parts: [{ type: 'tool-call', callID: `c${i}`, name: 'run', args: { command: 'ls' } }],
    },
    {
      role: 'tool',
      parts: [{ type: 'tool-result', callID: `c${i}`, name: 'run', output: 'a', exitCode: 0 }],
    },
  ]).flat()
