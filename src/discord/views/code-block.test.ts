import fc from 'fast-check'
import { expect, it } from 'vitest'
import { codeIn, proseOf } from '../../../test/support/discord/as-read.ts'
import { seed } from '../../../test/support/size.ts'
import { codeBlock } from './code-block.ts'

it('a block of code has the text as it stands', () => {
  expect(codeBlock('one\n  `two` ``three``')).toBe('```\none\n  `two` ``three``\n```')
})

it.each(['a ``` b', '```', '````', '`````` x', '```ts\ncode\n```\n||hidden||'])(
  'is not ended by what stands in it: %j',
  (text) => {
    const block = codeBlock(text)
    expect(codeIn(block).map((code) => code.replaceAll('\u200b', ''))).toEqual([text])
    expect(proseOf(block)).toBe('')
  },
)

it('nor by anything else, also where it is cut', () => {
  const texts = fc.array(fc.constantFrom('`', '``', 'x', '\n', ' ', '🙂'), { maxLength: 60 })
  fc.assert(
    fc.property(texts, fc.integer({ min: 5, max: 50 }), (parts, longest) => {
      const block = codeBlock(`x${parts.join('')}`, longest)
      expect(codeIn(block)).toHaveLength(1)
      expect(proseOf(block)).toBe('')
      expect(block.length).toBeLessThanOrEqual(longest + 8)
    }),
    { seed: seed() },
  )
})
