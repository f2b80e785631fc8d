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

/** A new session with the messages of a document, under new ids. */
export function importDocument(
  parts: FillParts,
  { session, messages }: SessionDocument,
  { directory, agent, signal }: ImportOptions,
): Promise<Session> {
  const { title, model, labels, created } = session
  const whole = withWholeGroups(messages)
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
