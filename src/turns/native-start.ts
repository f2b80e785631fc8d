import type { Capabilities, Start } from '../agents/driver.ts'
import { readBackwards } from '../store/line.ts'
import type { Reader } from '../store/store.ts'
import { type MessageID, shortID } from '../tree/ids.ts'
import type { Line } from '../tree/line.ts'
import type { Message } from '../tree/message.ts'
import { wishIn } from '../tree/prompts.ts'
import type { Session } from '../tree/session.ts'

/** Where an agent begins, and what it has to be told before the next prompt. */
export interface NativeStart {
  readonly start: Start
  /** Where it begins when that native session is not there after all. */
  readonly otherwise?: Start
  readonly unsent: readonly string[]
}

/** Why an agent cannot begin there by itself, and what a person can do about that. */
export interface NoStart {
  readonly start: null
  readonly why: string
  readonly instead: string
}

/**
 * Finds where an agent begins that is to go on from a position of a line. It resumes the session's own native session, or
 * forks the one that has the last entry up to there: also its own, when another session goes on in that. What was said after that entry must be prompts: they are said again
 * with the next. An answer that no entry stands for cannot be given to an agent in this way. But one that was killed in its
 * first turn, after it had said something, mostly has that in a history of its own.
 */
export async function nativeStart(
  reader: Reader,
  { id, agent, nativeID: own }: Pick<Session, 'agent' | 'nativeID'> & { readonly id: Session['id'] | null },
  line: Line,
  position: number,
  { history }: Capabilities,
): Promise<NativeStart | NoStart> {
  if (history === 'line') return { start: { kind: 'fresh' }, unsent: [] }
  const unsent: string[] = []
  let lacking = false
  for await (const message of readBackwards(reader, line, position)) {
    if (message.nativeID === null) {
      const wish = message.role === 'user' ? wishIn(message.parts) : null
      if (wish) unsent.unshift(wish)
      if (wish === null) lacking ||= isSaid(message)
      continue
    }
    const owner = await reader.sessions.get(message.sessionID)
    if (owner?.agent !== agent) return otherAgent(owner?.agent)
    if (owner.nativeID === null) return noHistory(agent)
    const native = { nativeID: owner.nativeID, at: message.nativeID }
    if (owner.id === id && (await reader.sessions.boundTo(agent, native.nativeID)) === id)
      return { start: { kind: 'resume', ...native }, unsent }
    const fork: Start = { kind: 'fork', ...native }
    if (!lacking) return { start: fork, unsent }
    if (own === null) return notThere(agent, message.id)
    return { start: { kind: 'resume', nativeID: own, at: message.nativeID }, otherwise: fork, unsent }
  }
  const fresh: Start = { kind: 'fresh' }
  if (!lacking) return { start: fresh, unsent }
  if (own === null) return noHistory(agent)
  return { start: { kind: 'resume', nativeID: own, at: null }, otherwise: fresh, unsent }
}

// What bough itself said is for the person only.
const isSaid = ({ role }: Message): boolean => role !== 'system' && role !== 'error'

const otherAgent = (other = 'another agent'): NoStart => ({
  start: null,
  why: `The conversation before was with ${other}.`,
  instead: `Fork it with --agent ${other}.`,
})

const noHistory = (agent: string): NoStart => ({
  start: null,
  why: `${agent} has no history of its own of this conversation.`,
  instead: 'With --context auto it gets a seed.',
})

const notThere = (agent: string, before: MessageID): NoStart => ({
  start: null,
  why: `${agent} cannot begin at that message by itself.`,
  instead: `Fork at ${shortID(before)}, or at the end of a turn.`,
})
