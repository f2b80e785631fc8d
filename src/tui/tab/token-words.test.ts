import { expect, it } from 'vitest'
import { fullnessWords, tokenWords } from './token-words.ts'

it('tokens are told in a few letters, a million of them as one', () => {
  const counts = [0, 999, 1000, 1_240, 9_949, 9_950, 200_000, 999_499, 999_500, 1_000_000, 1_240_000]
  expect(counts.map(tokenWords).join(' ')).toBe('0 999 1k 1.2k 9.9k 10k 200k 999k 1M 1M 1.2M')
})

it('counts what is used in the unit of the window', () => {
  const used = [1, 198, 999, 1000, 16_400, 200_000].map((tokens) => fullnessWords(tokens, 200_000))
  expect(used).toEqual(['<1k/200k', '<1k/200k', '<1k/200k', '1k/200k', '16k/200k', '200k/200k'])
  expect(fullnessWords(198, 800)).toBe('198/800')
})
