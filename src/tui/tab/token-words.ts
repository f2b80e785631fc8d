/** A number of tokens in a few letters: `950`, `1.2k`, `200k`, `1M`. */
export function tokenWords(count: number): string {
  if (count < 1000) return String(count)
  if (count < 999_500) return `${(count / 1000).toFixed(count < 9_950 ? 1 : 0).replace(/\.0$/, '')}k`
  return `${(count / 1_000_000).toFixed(1).replace(/\.0$/, '')}M`
}

/** Tokens in use and the window that holds them, in the same unit: `<1k/200k`, `16k/200k`. */
export function fullnessWords(tokens: number, window: number): string {
  const used = tokens < 1000 && window >= 1000 ? '<1k' : tokenWords(tokens)
  return `${used}/${tokenWords(window)}`
}
