import type { Agents } from '../../agents/agents.ts'
import { livingSession } from '../../store/find.ts'
import { readBackwards } from '../../store/line.ts'
import type { Transaction } from '../../store/store.ts'
import type { SessionID } from '../../tree/ids.ts'
import { lengthOf } from '../../tree/line.ts'

// A prompt whose turn failed may never have reached its agent: the agent's own history knows. What is not in it stands at the
// end of the line, after the last message that an entry stands for. Such prompts are said again, but what bough had put before
// them is not: so what they were to tell is told anew.

/** The position on a session's line up to which its agent has everything. */
export async function reachedOn(tx: Transaction, agents: Agents, sessionID: SessionID): Promise<number> {
  const line = await tx.sessions.line(sessionID)
  let position = lengthOf(line)
  if (await hasNoHistory(tx, agents, sessionID)) return position
  for await (const { nativeID } of readBackwards(tx, line)) {
    if (nativeID !== null) return position
    position--
  }
  return 0
}

/** Updates that were given to prompts of a session which its agent never got wait again. */
export async function takeBackUnsent(tx: Transaction, agents: Agents, sessionID: SessionID): Promise<void> {
  if (await hasNoHistory(tx, agents, sessionID)) return
  for await (const message of readBackwards(tx, await tx.sessions.line(sessionID))) {
    if (message.nativeID !== null || message.sessionID !== sessionID) return
    const { outcome } = (message.role === 'user' && (await tx.turns.ofPrompt(message.id))) || {}
    if (outcome === 'failed' || outcome === 'interrupted') await tx.updates.takeBack(message.id)
  }
}

// It is given the line anew every time.
async function hasNoHistory(tx: Transaction, agents: Agents, sessionID: SessionID): Promise<boolean> {
  const { agent } = await livingSession(tx, sessionID)
  return agents.named(agent).capabilities.history === 'line'
}
