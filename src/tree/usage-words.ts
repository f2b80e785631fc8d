import { type Cost, isNothing, type Usage } from './usage.ts'

/** Money where there is any, else tokens from a thousand up; nothing for nothing much. */
export function usageWords({
  costUSD,
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens,
}: Usage): string {
  if (costUSD > 0) return costUSD < 0.005 ? '<$0.01' : `$${costUSD.toFixed(2)}`
  const tokens = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens
  if (tokens < 1000) return ''
  return tokens < 999_500
    ? `${Math.round(tokens / 1000)}k tokens`
    : `${(tokens / 1_000_000).toFixed(1)}M tokens`
}

/** What a session cost itself, and apart from it what the part that it stands on had cost. */
export function costWords({ own, inherited }: Cost): string {
  const [here, before] = [usageWords(own), usageWords(inherited)]
  const nothing = before.includes('$') ? '$0' : '0'
  return before === '' ? here : `${here === '' ? nothing : here} (+${before})`
}

/** The same in a sentence. */
export function costSentence({ own, inherited }: Cost): string {
  if (isNothing(own) && isNothing(inherited)) return ''
  const here = `Spent here: ${usageWords(own) || 'next to nothing'}`
  return isNothing(inherited)
    ? `${here}.`
    : `${here}; before the fork: ${usageWords(inherited) || 'next to nothing'}.`
}
