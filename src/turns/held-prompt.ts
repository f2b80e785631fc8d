import type { Agents } from '../agents/agents.ts'
import { livingSession } from '../store/find.ts'
import type { Store } from '../store/store.ts'
import type { SessionID } from '../tree/ids.ts'
import { type Message, promptOf } from '../tree/message.ts'
import { within } from './within.ts'

/**
 * Whether a session's agent has a prompt, as its own history says. One that keeps no history is given the line, and so the prompt,
 * anew. Where the history cannot be read, nobody knows: then it is told again rather than never.
 */
export async function isHeldBy(
  { store, agents }: { readonly store: Store; readonly agents: Agents },
  sessionID: SessionID,
  prompt: Message,
): Promise<boolean> {
  const { agent, nativeID } = await livingSession(store, sessionID)
  const { native, capabilities } = agents.named(agent)
  if (capabilities.history === 'line') return true
  if (!native || nativeID === null) return false
  try {
    const { messages, unfinished = [] } = await within(native.read(nativeID), {
      stop: new AbortController().signal,
      patience,
      what: 'It',
    })
    const last = [...messages, ...unfinished].findLast(({ role }) => role === 'user')
    // Prompts that were said again stand before it in the same message.
    return last !== undefined && promptOf(last.parts).trimEnd().endsWith(promptOf(prompt.parts).trimEnd())
  } catch {
    return false
  }
}

/** Milliseconds: the turn's end waits for it. */
const patience = 5_000
