/**
 * How many tokens a text has, about: no model counts alike. By bytes and not by characters, since what is written in other
 * scripts takes more of both.
 */
export const tokensIn = (text: string): number => tokensOf(Buffer.byteLength(text))

/** How many tokens so many bytes have, about. */
export const tokensOf = (bytes: number): number => Math.ceil(bytes / bytesPerToken)

/** How many bytes so many tokens have, about. */
export const bytesOf = (tokens: number): number => tokens * bytesPerToken

const bytesPerToken = 4

/** How full a context window would be. */
export type Fullness = 'fits' | 'nearly full' | 'too full'

export function fullnessOf(tokens: number, window: number): Fullness {
  if (tokens >= window) return 'too full'
  return tokens >= 0.8 * window ? 'nearly full' : 'fits'
}
