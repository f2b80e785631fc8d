import { expect, it } from 'vitest'
import { noUsage } from './usage.ts'
import { costSentence, costWords, usageWords } from './usage-words.ts'

const money = (costUSD: number) => ({ ...noUsage, inputTokens: 5000, costUSD })
const tokens = (inputTokens: number) => ({ ...noUsage, inputTokens })

it('money is shown in cents, where there is none tokens in thousands', () => {
  const shown = [
    money(1.234),
    money(0.005),
    money(0.0049),
    tokens(999),
    tokens(1499),
    tokens(2_340_000),
    noUsage,
  ]
  expect(shown.map(usageWords)).toEqual(['$1.23', '$0.01', '<$0.01', '', '1k tokens', '2.3M tokens', ''])
})

it('a session’s own cost stands first, what it inherited behind it', () => {
  expect(costWords({ own: money(1), inherited: noUsage })).toBe('$1.00')
  expect(costWords({ own: money(1), inherited: money(2) })).toBe('$1.00 (+$2.00)')
  expect(costWords({ own: noUsage, inherited: money(2) })).toBe('$0 (+$2.00)')
  expect(costWords({ own: noUsage, inherited: tokens(2000) })).toBe('0 (+2k tokens)')
  expect(costWords({ own: noUsage, inherited: noUsage })).toBe('')
  expect(costSentence({ own: money(1), inherited: money(2) })).toBe(
    'Spent here: $1.00; before the fork: $2.00.',
  )
  expect(costSentence({ own: tokens(5), inherited: noUsage })).toBe('Spent here: next to nothing.')
  expect(costSentence({ own: noUsage, inherited: noUsage })).toBe('')
})
