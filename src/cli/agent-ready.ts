import type { AgentStatus, Bough } from '../bough.ts'
import { BoughError } from '../tree/error.ts'
import { plainLine } from '../tree/plain-text.ts'
import type { Context } from './context.ts'

/**
 * Throws where an agent could not be talked to, before anything is announced that would not come. Where that is not certain it
 * only warns: the agent may know a way in that leaves no sign. One that nobody knows is refused with what it is wanted for.
 */
export async function mustBeReady(context: Context, bough: Bough, agent: string): Promise<void> {
  const status = await statusOf(bough, agent)
  if (!status || status.ready) return
  if (!status.installed || status.certain) throw new BoughError('agent_failed', wordsOf(status, 'Do this'))
  warn(context, status)
}

/** Says what an agent still needs before it can answer. */
export async function warnUnlessReady(context: Context, bough: Bough, agent: string): Promise<void> {
  const status = await statusOf(bough, agent)
  if (status && !status.ready) warn(context, status)
}

const statusOf = async (bough: Bough, agent: string): Promise<AgentStatus | undefined> =>
  (await bough.agents()).find(({ name }) => name === agent)

function warn({ err }: Context, status: AgentStatus): void {
  const advice = status.certain ? 'Before it can answer, do this' : 'If no answer comes, do this'
  err.line(err.paint('yellow', `bough: ${plainLine(wordsOf(status, advice))}`))
}

const wordsOf = ({ name, detail, fix }: AgentStatus, advice: string): string =>
  `${name}: ${detail}.${fix ? ` ${advice}: ${fix}` : ''}`
