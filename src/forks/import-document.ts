import type { Store } from '../store/store.ts'
import type { NewMessage } from '../tree/message.ts'
import type { NewSession, Session } from '../tree/session.ts'
import type { SessionDocument } from '../tree/session-document.ts'
import { untitled } from '../tree/title.ts'
import { withWholeGroups } from '../tree/whole-groups.ts'
import { type FillParts, fillSession } from './fill-session.ts'

export interface ImportOptions {
  readonly directory: string
  readonly agent: string
  /** Gives it up: nothing of it stays. */
  readonly signal?: AbortSignal
}

/**
 * A new session with the messages of a document, under new ids. What messages cost that are here already, in the session that was
 * exported, is not counted once more.
 */
export async function importDocument(
  parts: FillParts,
  { session, messages }: SessionDocument,
  { directory, agent, signal }: ImportOptions,
): Promise<Session> {
  const { title, model, labels, created } = session
  const whole = withWholeGroups(await countedOnce(parts.store, messages))
  const imported: NewSession = {
    id: parts.ids.session(),
    parentID: null,
    forkPoint: null,
    title,
    titled: title !== untitled,
    agent,
    model: agent === session.agent ? model : null,
    directory,
    kind: 'root',
    labels,
    created,
  }
  return fillSession(parts, imported, whole, { ...(signal && { signal }) })
}

const countedOnce = (
  store: Store,
  messages: SessionDocument['messages'],
): Promise<readonly Omit<NewMessage, 'id'>[]> =>
  Promise.all(
    messages.map(async (message) => {
      const isCountedElsewhere = message.usage !== null && (await store.messages.has(message.id))
      return { ...message, isCountedElsewhere }
    }),
  )
