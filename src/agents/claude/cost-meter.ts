import type { SDKResultMessage } from '@anthropic-ai/claude-agent-sdk'

/** What kinds of tokens cost, next to a plain one that is read: the same for all of Claude's models. */
const prices = { output: 5, cacheRead: 0.1, cacheWrite: 1.25 }

/**
 * Tells what a turn cost from what Claude tells: the sum over its process. One that resumed or forked a session may begin at what
 * that had cost before, or at nothing, and does not say which; so the first turn gets its share by tokens.
 */
export class CostMeter {
  #before: number | null

  constructor(start: 'new' | 'continued') {
    this.#before = start === 'new' ? 0 : null
  }

  /** Of the turn that a result ends. */
  take(result: SDKResultMessage): number {
    const total = result.total_cost_usd
    const cost = this.#before === null ? total * shareOf(result) : total - this.#before
    this.#before = total
    return Math.max(0, cost)
  }
}

function shareOf({ usage, modelUsage }: SDKResultMessage): number {
  const turn = weigh(
    usage.input_tokens,
    usage.output_tokens,
    usage.cache_read_input_tokens,
    usage.cache_creation_input_tokens,
  )
  const all = Object.values(modelUsage).reduce(
    (sum, each) =>
      sum +
      weigh(each.inputTokens, each.outputTokens, each.cacheReadInputTokens, each.cacheCreationInputTokens),
    0,
  )
  return all === 0 ? 0 : Math.min(1, turn / all)
}

const weigh = (input: number, output: number, cacheRead: number, cacheWrite: number): number =>
  input + output * prices.output + cacheRead * prices.cacheRead + cacheWrite * prices.cacheWrite
