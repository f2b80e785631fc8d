import type { Driver } from '../../agents/driver.ts'
import { readPositions } from '../../store/line.ts'
import type { Reader } from '../../store/store.ts'
import type { Line } from '../../tree/line.ts'
import type { Session } from '../../tree/session.ts'
import { buildSeed, type Seed } from './seed.ts'
import { fullnessOf } from './tokens.ts'

export interface SeedPlan {
  readonly seed: Seed
  /** Of the agent, in tokens; null for one without limits. */
  readonly window: number | null
  /** For a person: that there is little room left, or none. */
  readonly warning: string | null
}

/** Builds the seed that hands a line, up to a position, to an agent. */
export async function planSeed(
  reader: Reader,
  driver: Driver,
  { id, model }: Pick<Session, 'id' | 'model'>,
  line: Line,
  position: number,
): Promise<SeedPlan> {
  const window = await driver.contextWindow(model)
  const messages = await Array.fromAsync(readPositions(reader, line, 1, position))
  const seed = buildSeed(id, messages, window)
  return { seed, window, warning: window === null ? null : warningOf(driver.name, seed, window) }
}

function warningOf(agent: string, { wholeTokens, leftOut }: Seed, window: number): string | null {
  const fullness = fullnessOf(wholeTokens, window)
  if (fullness === 'fits') return null
  const share = `${Math.round((100 * wholeTokens) / window).toLocaleString('en')} % of ${agent}'s context window`
  const words =
    fullness === 'too full'
      ? `The conversation does not fit: it would take about ${share}.`
      : `The conversation takes about ${share}: there is little room left to work in.`
  return leftOut === null ? words : `${words} Left out: ${leftOut}.`
}
