import type { Bough } from '../../bough.ts'
import type { MessageID, OutboxID, SessionID } from '../../tree/ids.ts'
import type { Message } from '../../tree/message.ts'
import type { Outgoing } from '../../tree/outgoing.ts'
import { plainLine } from '../../tree/plain-text.ts'
import type { SideFork } from '../../tree/side-fork.ts'
import type { Tab } from '../tab/tab.ts'
import { timeOf } from './with-cards.ts'

/** Something that a fork said: a reply to it goes on with that fork. */
export interface Replyable {
  /** Its id in the channel. */
  readonly externalID: OutboxID | MessageID | SessionID
  readonly sessionID: SessionID
  /** What is quoted. */
  readonly text: string
  /** How the fork is called. */
  readonly from: string
}

const mostForks = 20
const lastOnes = 20

/** What forks of a tab's channel have said, the newest first: what they sent, and the last words of those one talked in. */
export async function replyables({ ui: { bough }, place, cards }: Tab): Promise<readonly Replyable[]> {
  const { id, mainID } = place.channel
  const sent = cards.flatMap(({ key, sessionID, from, what }): readonly Replyable[] => {
    const text = quotable(what)
    return text === null || sessionID === mainID
      ? []
      : [{ externalID: key, sessionID, text, from: from ?? 'a fork' }]
  })
  const forks = (await bough.sideForks({ channelID: id, limit: mostForks })).filter(
    ({ kind, sessionID }) => kind === 'interactive' && sessionID !== mainID,
  )
  const said = await Promise.all(forks.map((fork) => lastWords(bough, fork)))
  return [...sent, ...said.filter((each) => each !== null)].toSorted((a, b) =>
    timeOf(a.externalID) < timeOf(b.externalID) ? 1 : -1,
  )
}

/** A run as something to reply to, also where it has said nothing to anybody. */
export async function replyableRun(bough: Bough, { sessionID, prompt }: SideFork): Promise<Replyable> {
  const [{ title }, last] = await Promise.all([bough.session(sessionID), lastAnswer(bough, sessionID)])
  return { externalID: sessionID, sessionID, text: last?.text ?? prompt ?? title, from: title }
}

/** The first words of what is replied to. */
export const replyWords = ({ from, text }: Replyable): string => `${plainLine(from)}: ${plainLine(text)}`

async function lastWords(bough: Bough, { sessionID }: SideFork): Promise<Replyable | null> {
  const found = await Promise.all([bough.session(sessionID), lastAnswer(bough, sessionID)]).catch(() => null)
  const [session, answer] = found ?? []
  return session && answer
    ? { externalID: answer.id, sessionID, text: answer.text, from: session.title }
    : null
}

async function lastAnswer(bough: Bough, id: SessionID): Promise<Message | null> {
  const messages = await bough.messages(id, { limit: lastOnes })
  const isOwn = ({ role, text, sessionID }: Message): boolean =>
    sessionID === id && role === 'assistant' && text.trim() !== ''
  return messages.findLast(isOwn) ?? null
}

function quotable(what: Outgoing): string | null {
  switch (what.kind) {
    case 'message':
    case 'notice':
      return what.text
    case 'embed':
      return `${what.title}\n${what.body}`
    case 'entered':
    case 'ended':
      return null
  }
}
