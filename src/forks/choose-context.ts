import type { Agents } from '../agents/agents.ts'
import type { Driver } from '../agents/driver.ts'
import { onLine } from '../store/find.ts'
import type { Reader } from '../store/store.ts'
import { BoughError } from '../tree/error.ts'
import type { ContextMode, ForkContext } from '../tree/fork-seed.ts'
import type { MessageID, SessionID } from '../tree/ids.ts'
import type { Session } from '../tree/session.ts'
import { nativeStart } from '../turns/native-start.ts'
import { planSeed } from '../turns/seed/plan-seed.ts'
import { forkModel } from './fork-model.ts'

/** How a fork gets the conversation before it, and what its seed is if it needs one. */
export type ChosenContext =
  | Extract<ForkContext, { kind: 'native' }>
  | (Extract<ForkContext, { kind: 'seed' }> & { readonly sha256: string })

interface WantedContext {
  readonly agent?: string
  readonly model?: string
  readonly context?: ContextMode
}

/** Native where the agent can begin there by itself, else a seed. Throws where neither is possible or wanted. */
export async function chooseContext(
  reader: Reader,
  agents: Agents,
  parent: Session,
  forkPoint: MessageID | null,
  id: SessionID,
  wanted: WantedContext,
): Promise<ChosenContext> {
  const { agent = parent.agent, context = 'auto' } = wanted
  if (forkPoint === null) return { kind: 'native', why: `${agent} begins anew: nothing was said before.` }
  const driver = agents.named(agent)
  const line = await reader.sessions.line(parent.id)
  const { position } = await onLine(reader, line, forkPoint)
  const fork = { id: null, agent, nativeID: null }
  const found = await nativeStart(reader, fork, line, position, driver.capabilities)
  if (found.start === null && context === 'native')
    throw new BoughError('fork_unsupported', `${found.why} ${found.instead}`)
  const cannot = found.start === null ? found.why : null
  const asked = context === 'seed' ? 'You asked for a seed.' : null
  const why = context === 'native' ? null : (asked ?? whySeed(parent, driver, cannot))
  if (why === null) return { kind: 'native', why: `${agent} itself begins at that point.` }
  const target = { id, model: forkModel(parent, wanted) }
  const { seed, window, warning } = await planSeed(reader, driver, target, line, position)
  const { sha256, tokens, leftOut } = seed
  return { kind: 'seed', why, tokens, window, leftOut, warning, sha256 }
}

// An agent that is given the line every time can begin anywhere; coming from another it is told so all the same.
function whySeed(parent: Session, { name, capabilities }: Driver, cannot: string | null): string | null {
  if (cannot === null && capabilities.history === 'native') return null
  return name === parent.agent ? cannot : `The conversation before was with ${parent.agent}.`
}

/** For a front end: without what only the store needs. */
export function forkContextOf(chosen: ChosenContext): ForkContext {
  if (chosen.kind === 'native') return chosen
  const { sha256: _, ...context } = chosen
  return context
}
