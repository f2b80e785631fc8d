/** Tokens and money, booked once, on the message where they arose. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  readonly costUSD: number
}

/** What a session spent itself, and apart from it what the shared part that it stands on had cost before. */
export interface Cost {
  readonly own: Usage
  readonly inherited: Usage
}

export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUSD: 0,
}

export const addUsage = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
  cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  costUSD: a.costUSD + b.costUSD,
})

export const isNothing = (usage: Usage): boolean => Object.values(usage).every((amount) => amount === 0)
