import type { Usage } from '../../tree/usage.ts'
import type { TokenUsage } from './protocol.ts'

/**
 * Tells new usage from old: Codex repeats the last one when a thread is resumed and when a response is cut off. One meter
 * for the life of a thread.
 */
export class UsageMeter {
  /** Null until it is known: a thread that goes on from another has spent something already. */
  #total: number | null

  constructor(startsAtZero: boolean) {
    this.#total = startsAtZero ? 0 : null
  }

  /** What a response has used; null when this was known before. */
  read({ total, last }: TokenUsage): Usage | null {
    const isKnown = this.#total === total.totalTokens
    this.#total = total.totalTokens
    if (isKnown) return null
    return {
      inputTokens: last.inputTokens - last.cachedInputTokens,
      outputTokens: last.outputTokens,
      cacheReadTokens: last.cachedInputTokens,
      cacheWriteTokens: last.cacheWriteInputTokens,
      costUSD: 0,
    }
  }
}
