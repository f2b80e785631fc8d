import { stripTerminalSequences } from '@earendil-works/pi-tui'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { count, seed } from '../../../test/support/size.ts'
import { createTheme } from '../screen/theme.ts'
import { patternOf } from './found.ts'
import { paintFound } from './paint-found.ts'

const { paint } = createTheme('dark')
const pattern = (query: string): RegExp => patternOf(query) ?? /$^/

describe('what is found in a drawn line', () => {
  it('is painted, and what is around it keeps its style', () => {
    const line = `a ${paint('bad', 'red leek here')} b`
    const style = paint('bad', '').length === 0 ? paint('bad', 'x').split('x')[0] : ''
    expect(paintFound(line, pattern('leek'), paint, false)).toBe(
      `a ${style}red \u001b[0m${paint('found', 'leek')}${style} here\u001b[0m b`,
    )
  })

  it('changes no character, wherever styles begin and end', () => {
    const piece = fc.tuple(
      fc.constantFrom('plain', 'bad', 'strong', 'link'),
      fc.constantFrom('le', 'ek', 'leek', ' ', '汤'),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const line = pieces
          .map(([tone, text]) =>
            tone === 'plain' || tone === 'bad' || tone === 'strong' || tone === 'link'
              ? paint(tone, text)
              : text,
          )
          .join('')
        expect(stripTerminalSequences(paintFound(line, pattern('leek'), paint, false))).toBe(
          stripTerminalSequences(line),
        )
      }),
      { numRuns: count(1000, 100), seed: seed() },
    )
  })

  it('is the query itself, whatever its characters mean elsewhere', () => {
    expect('a.b (c) [d] *'.match(pattern('.b (c) [d] *'))).toEqual(['.b (c) [d] *'])
    expect(patternOf('  ')).toBeNull()
  })
})
