import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../test/support/any-character.ts'
import { codeIn, proseOf } from '../../../test/support/discord/as-read.ts'
import { count, seed } from '../../../test/support/size.ts'
import { fenceAfter } from './code-fence.ts'
import { longestMessage, split } from './split.ts'

const words = (n: number): string => Array.from({ length: n }, (_, i) => `word${i}`).join(' ')

/** What stands in a text beside fences and white space. */
const content = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^\s*(`{3,20}|~{3,20})[^`]*$/.test(line))
    .join('')
    .replace(/\s/g, '')

const isBalanced = (piece: string): boolean =>
  piece.split('\n').reduce((open, line) => fenceAfter(line, open), fenceAfter('', null)) === null

describe('a long reply', () => {
  it('is one message while it fits, and nothing where there is nothing to say', () => {
    expect(split('hello')).toEqual(['hello'])
    expect(split('x'.repeat(longestMessage))).toHaveLength(1)
    expect(split('')).toEqual([])
    expect(split('\n \n\u200b\n')).toEqual([])
  })

  it('is split at line ends', () => {
    expect(split('one two\nthree\nfour', 13)).toEqual(['one two\nthree', 'four'])
  })

  it('has code blocks closed at the end of a message and opened again, with their language, in the next', () => {
    expect(split('see\n```ts\nconst a = 1\nconst b = 2\n```\nend', 26)).toEqual([
      'see\n```ts\nconst a = 1\n```',
      '```ts\nconst b = 2\n```\nend',
    ])
  })

  it.each([
    ['a list within a list', '     ```sh', '     ```'],
    ['an item that begins with it', '- ```sh', '  ```'],
    ['an item with a number', '  12. ```sh', '      ```'],
  ])('has them closed and opened again also in %s', (_, begin, end) => {
    expect(split(`see\n${begin}\n  one one\n  two two\n${end}\nafter`, 31)).toEqual([
      `see\n${begin}\n  one one\n\`\`\``,
      `\`\`\`sh\n  two two\n${end}\nafter`,
    ])
  })

  it.each([
    ['a longer fence', '````md', '````', 'see:\n```ts\nconst a = 1\n```'],
    ['tildes', '~~~py', '~~~', 'def __init__(self): pass'],
    ['a fence in a line of code', '```js', '```', "const fence = '```'"],
    ['a fence with a language in a block', '```md', '```', 'one\n```ts\ntwo'],
  ])('has its code blocks as Discord reads them: %s', (_, begin, end, code) => {
    const [piece = '', ...more] = split(`before\n${begin}\n${code}\n${end}\nafter`)
    expect(more).toEqual([])
    expect(codeIn(piece).map((each) => each.replaceAll('\u200b', ''))).toEqual([code])
    expect(proseOf(piece)).toBe('before\n\nafter')
  })

  it('repeats no code block of which only the end is left', () => {
    expect(split('```\nabcdefgh\n```\nend', 16)).toEqual(['```\nabcdefgh\n```', 'end'])
    expect(split('~~~\nabcdefgh\n~~~~\nend', 16)).toEqual(['```\nabcdefgh\n```', 'end'])
  })

  it('is cut inside a line that is too long: after a space, else between two characters', () => {
    expect(split('aaa bbb ccc', 8)).toEqual(['aaa bbb ', 'ccc'])
    const faces = '🙂'.repeat(1500)
    expect(split(faces).join('')).toBe(faces)
    for (const piece of split(faces)) expect(piece.isWellFormed()).toBe(true)
  })

  it('keeps its first messages as they are while it grows', () => {
    const text = `${words(900)}\n\`\`\`js\n${'f()\n'.repeat(800)}\`\`\`\n${words(400)}`
    let before: readonly string[] = []
    for (let length = 0; length <= text.length; length += 97) {
      const pieces = split(text.slice(0, length))
      for (const [i, piece] of before.slice(0, -2).entries()) expect(pieces[i]).toBe(piece)
      before = pieces
    }
  })

  it('arrives whole and in order, whatever it is made of', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '```',
        '```ts',
        '~~~',
        '````',
        '``` x ``` y',
        '',
        '   ',
        '    ```',
        `\`\`\`${'l'.repeat(90)}`,
      ),
      fc.string({ unit: anyCharacter, maxLength: 700 }),
      fc.string({ unit: 'grapheme', maxLength: 90 }),
    )
    const texts = fc.array(line, { maxLength: 40 }).map((lines) => lines.join('\n'))
    const limits = fc.integer({ min: 250, max: 600 })
    fc.assert(
      fc.property(texts, limits, (text, limit) => {
        const pieces = split(text, limit)
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(limit)
          expect(piece.trim()).not.toBe('')
          expect(isBalanced(piece) || piece === pieces.at(-1)).toBe(true)
        }
        expect(pieces.map((piece) => content(visible(piece))).join('')).toBe(content(visible(text)))
      }),
      { seed: seed(), numRuns: count(20_000, 1_000) },
    )
  })
})

const visible = (text: string): string => text.replace(/[\u200b-\u200f\u2060\ufeff]/gu, '')
