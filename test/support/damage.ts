import type { Store } from '../../src/store/store.ts'
import type { TreeEvent } from '../../src/tree/event.ts'
import type { Message, ToolCallPart } from '../../src/tree/message.ts'
import type { Session } from '../../src/tree/session.ts'
import { openCallsAfter } from '../../src/tree/tool-group.ts'

/** Everything in a store, at rest, that a half-made change would leave behind; nothing when it is whole. */
export async function damageIn(store: Store): Promise<readonly string[]> {
  const sessions = await store.sessions.all()
  const events = await allEvents(store)
  const problems: string[] = []
  const openAfter = new Map<string, number>()
  const added = subjectsOf(events, 'message.added')
  const created = new Set(
    events.flatMap(({ kind, sessionID }) => (kind === 'session.created' ? [sessionID] : [])),
  )

  for (const session of sessions) {
    const messages = await ownMessages(store, session)
    problems.push(...gapsIn(session, messages))
    if (!created.has(session.id)) problems.push(`${session.id} was created without an event`)
    let open: readonly ToolCallPart[] = []
    for (const message of messages) {
      open = openCallsAfter(open, message.parts)
      openAfter.set(message.id, open.length)
      if (!added.has(message.id)) problems.push(`${message.id} was added without an event`)
    }
    if (open.length > 0) problems.push(`${session.id} ends with ${open.length} calls without a result`)
    if (await store.turns.running(session.id)) problems.push(`a turn still runs in ${session.id}`)
  }
  for (const { id, forkPoint } of sessions) {
    if (forkPoint === null) continue
    const open = openAfter.get(forkPoint)
    if (open === undefined) problems.push(`the fork point of ${id} is not there`)
    else if (open > 0) problems.push(`${id} begins between a call and its result`)
  }
  return [...problems, ...notRising(events)]
}

export async function allEvents(store: Store, after = 0): Promise<readonly TreeEvent[]> {
  return store.events.after(after, Number.MAX_SAFE_INTEGER)
}

export const ownMessages = (store: Store, { id }: Pick<Session, 'id'>): Promise<readonly Message[]> =>
  store.messages.range({ sessionID: id, from: 0, to: Number.MAX_SAFE_INTEGER })

function gapsIn({ id }: Session, messages: readonly Message[]): readonly string[] {
  return messages
    .filter((message, i) => message.seq !== i + 1)
    .map((message) => `message ${message.seq} of ${id} does not follow the one before it`)
}

function notRising(events: readonly TreeEvent[]): readonly string[] {
  return events
    .filter((event, i) => event.seq <= (events[i - 1]?.seq ?? 0))
    .map((event) => `event ${event.seq} does not come after the one before it`)
}

const subjectsOf = (events: readonly TreeEvent[], kind: TreeEvent['kind']): ReadonlySet<string> =>
  new Set(events.flatMap((event) => (event.kind === kind && 'subjectID' in event ? [event.subjectID] : [])))
