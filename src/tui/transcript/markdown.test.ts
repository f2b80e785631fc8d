import { stripTerminalSequences, wrapTextWithAnsi } from '@earendil-works/pi-tui'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { count, seed } from '../../../test/support/size.ts'
import { widthOf } from '../screen/frame.ts'
import { createTheme } from '../screen/theme.ts'
import { indentOf } from './block-lines.ts'
import { createHighlight } from './highlight.ts'
import { type Highlight, MarkdownFlow, markdownLines } from './markdown.ts'

const plain = createTheme('plain')
const dark = createTheme('dark')

const drawn = (text: string, columns = 40): string =>
  markdownLines(text, columns, plain).map(stripTerminalSequences).join('\n')

const lines = fc.constantFrom(
  ...['', '', '', 'A line of words.', 'Another one with **bold** and `code`.', '## A heading', '---', '==='],
  ...[
    '- an item',
    '- another',
    '  more of it',
    '  - inside',
    '    deeper',
    '1. first',
    '1. second',
    '7) seven',
  ],
  ...[
    '```ts',
    '```',
    '~~~',
    '````',
    '  ```js',
    'const soup = 1 // leek',
    '/* begins',
    'ends */',
    '> quoted',
    '> - in it',
  ],
  ...[
    '| a | b |',
    '|---|---|',
    '| 1 | 2 |',
    '    indented',
    '\ttab',
    'wide 汤 and 🍲',
    '[a](https://b.example)',
    '$$x$$',
  ],
  ...['\u001b[31mred\u001b[0m', 'w'.repeat(90), '<b>html</b>', '* * *', '- [ ] to do', '***'],
)
const markdown = fc
  .array(
    fc.oneof({ weight: 5, arbitrary: lines }, { weight: 1, arbitrary: fc.string({ unit: 'grapheme' }) }),
    { maxLength: 30 },
  )
  .map((all) => all.join('\n'))

/** A text as it comes: each time all that has come so far. */
function growing(text: string, cuts: readonly number[]): readonly string[] {
  const ends = cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b)
  return [...ends, text.length].map((end) => text.slice(0, end))
}

const drawAll = (flow: MarkdownFlow, text: string): readonly string[] =>
  flow.pieces(text).flatMap((piece) => piece.lines)

describe('streamed Markdown', () => {
  it('looks at its end as if it had come at once, however it was cut', () => {
    const highlight = createHighlight()
    fc.assert(
      fc.property(
        markdown,
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.constantFrom(12, 40, 100),
        (text, cuts, columns) => {
          const flow = new MarkdownFlow({ columns, theme: dark, highlight })
          const last = growing(text, cuts)
            .map((piece) => drawAll(flow, piece))
            .at(-1)
          expect(last).toEqual(markdownLines(text, columns, dark, highlight))
        },
      ),
      { numRuns: count(2000, 150), seed: seed() },
    )
  })

  it('never draws a line wider than its place, nor an escape sequence of the text', () => {
    fc.assert(
      fc.property(markdown, fc.constantFrom(12, 40, 100), (text, columns) => {
        for (const line of markdownLines(text, columns, plain)) {
          expect(widthOf(line)).toBeLessThanOrEqual(columns)
          expect(line).not.toContain('\u001b[31m')
        }
      }),
      { numRuns: count(1000, 80), seed: seed() },
    )
  })

  it('paints a finished block once, and an open fence once a line', () => {
    let painted = 0
    const counting: Highlight = (code) => {
      painted += code.length
      return null
    }
    const block = `\`\`\`ts\n${'const soup = leek\n'.repeat(10)}\`\`\`\n\nSome words.\n\n`
    const text = block.repeat(20)
    const flow = new MarkdownFlow({ columns: 80, theme: plain, highlight: counting })
    for (let end = 0; end <= text.length; end += 4) drawAll(flow, text.slice(0, end))
    // Each block again with each of its lines, and a little for the line that is written.
    expect(painted).toBeLessThan(20 * 180 * 10 * 2)
  })

  it('does not cost more with every token of a long open fence', () => {
    let longest = 0
    const measuring: Highlight = (code) => {
      longest = Math.max(longest, code.length)
      return null
    }
    const flow = new MarkdownFlow({ columns: 80, theme: plain, highlight: measuring })
    const text = `\`\`\`ts\n${'const soup = leek + onion\n'.repeat(3000)}`
    for (let end = 0; end <= text.length; end += 500) drawAll(flow, text.slice(0, end))
    expect(longest).toBeLessThan(9000)
    expect(drawAll(flow, text)).toHaveLength(3001)
  })

  it('draws only what is looked at, of a text of a hundred thousand lines', () => {
    let painted = 0
    const counting: Highlight = () => {
      painted += 1
      return null
    }
    const flow = new MarkdownFlow({ columns: 80, theme: plain, highlight: counting })
    const pieces = flow.pieces(`\`\`\`ts\n${'let a = 1\n'.repeat(100_000)}\`\`\``)
    expect(pieces.at(-2)?.lines).toHaveLength(80)
    expect(painted).toBe(1)
    expect(pieces).toHaveLength(1250)
  })
})

describe('Markdown that nests too deep', () => {
  it('quotes and lists at most eight times, fewer where it is narrow; deeper marks are text', () => {
    expect(drawn(`${'> '.repeat(9)}soup`, 80)).toBe(`${'│ '.repeat(8)}> soup`)
    expect(drawn(`${'>'.repeat(9)}soup`, 80)).toBe(`${'│ '.repeat(8)}>soup`)
    expect(drawn(`${'> '.repeat(9)}soup`, 12)).toBe('│ │ > > > >\n│ │ > > >\n│ │ soup')
    expect(
      drawn(`${'- + '.repeat(4)}- soup`, 80)
        .split('\n')
        .at(-1)
        ?.trim(),
    ).toMatch(/^- - soup$/)
  })

  it('counts items that stand in each other line by line, in quotations too', () => {
    for (const before of ['', '> ']) {
      const text = Array.from({ length: 30 }, (_, i) => `${before}${'  '.repeat(i)}- item ${i}`).join('\n')
      const last = drawn(text, 80).split('\n').at(-1) ?? ''
      expect(last).toContain('- item 29')
      expect(indentOf(last.replace('│', ' '))).toBeLessThan(40)
    }
    // Those side by side are no deeper.
    const flat = Array.from({ length: 30 }, (_, i) => `- item ${i}\n  - in ${i}`).join('\n')
    expect(drawn(flat, 80)).not.toContain('\\')
    expect(drawn(flat, 80).split('\n').at(-1)).toBe('    - in 29')
  })

  it('does not end the program', () => {
    for (const mark of ['>', '> ', '- ', '- > ', '1. ', '* + ', '  > - 1) '])
      for (const columns of [10, 80])
        for (const line of markdownLines(mark.repeat(3000), columns, plain))
          expect(widthOf(line)).toBeLessThanOrEqual(columns)
  })

  it('is shown as it was written where it cannot be drawn', () => {
    const failing: Highlight = () => {
      throw new RangeError('Maximum call stack size exceeded')
    }
    const text = '1. Run\n   ```sh\n   make\n   ```\n\n```ts\nlet a\nlet b\n```\n\nAfter **it**.'
    expect(markdownLines(text, 40, plain, failing).map(stripTerminalSequences)).toEqual([
      ...['1. Run', '   ```sh', '   make', '   ```'],
      ...['', 'let a', 'let b', '', 'After it.'],
    ])
  })
})

describe('Markdown in blocks', () => {
  it('stands as it does in one: gaps where they are, lists together, numbers counted on', () => {
    expect(
      drawn(
        '# Soup\nWhat it needs:\n- leek\n- salt\n  - a little\n\n1. cut\n1. cook\n\n   slowly\n1. eat\n\nDone.',
      ),
    ).toMatchInlineSnapshot(`
      "Soup

      What it needs:
      - leek
      - salt
          - a little

      1. cut
      2. cook

         slowly
      3. eat

      Done."
    `)
  })

  it('keeps code in items with them, and blank lines in code', () => {
    expect(
      drawn('1. Run\n   ```sh\n   make\n   ```\n2. Wait\n\n```ts\nlet a\n\nlet b\n```\nAfter it.'),
    ).toMatchInlineSnapshot(`
      "1. Run
         \`\`\`sh
           make
         \`\`\`
      2. Wait

      \`\`\`ts
        let a

        let b
      \`\`\`

      After it."
    `)
  })

  it('shows tables and quotations', () => {
    expect(drawn('| what | much |\n|---|---|\n| leek | 3 |\n\n> Slowly.\n> Always.')).toMatchInlineSnapshot(`
      "┌──────┬──────┐
      │ what │ much │
      ├──────┼──────┤
      │ leek │ 3    │
      └──────┴──────┘

      │ Slowly.
      │ Always."
    `)
  })

  it('does not show where a very long line was cut', () => {
    const words = Array.from(
      { length: 5000 },
      (_, i) => ['leek', 'onion', 'salt', 'pepper', 'a'][(i * 7) % 5],
    ).join(' ')
    for (const text of [words, 'x'.repeat(20_000), '汤'.repeat(9000)])
      expect(markdownLines(text, 77, plain)).toEqual(wrapTextWithAnsi(text, 77))
  })

  it('goes on with a string of many lines where long code is drawn in parts', () => {
    const highlight = createHighlight()
    const inside = Array.from({ length: 150 }, (_, i) => (i % 9 === 0 ? '' : `return ${i}`))
    const code = ['const soup = `', ...inside, '`', 'return 1']
    const text = ['```ts', ...code, '```'].join('\n')
    const whole = highlight(code.join('\n'), 'ts', dark.paint) ?? []
    const painted = whole.map((line) => (line === '' ? '' : `  ${line}`))
    expect(markdownLines(text, 80, dark, highlight).slice(1, -1)).toEqual(painted)
    // It comes line by line, and every part is looked at on the way.
    const flow = new MarkdownFlow({ columns: 80, theme: dark, highlight })
    let at = 0
    let last: readonly string[] = []
    while (at < text.length) {
      at = text.indexOf('\n', at) + 1 || text.length
      last = flow.pieces(text.slice(0, at)).flatMap(({ lines }) => lines)
    }
    expect(last.slice(1, -1)).toEqual(painted)
  })

  it('hides a closing fence that has not come whole', () => {
    expect(drawn('```\nsoup\n``')).toBe('```\n  soup')
    expect(drawn('```\nsoup\n```')).toBe('```\n  soup\n```')
  })
})
