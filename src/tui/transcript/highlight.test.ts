import { stripTerminalSequences } from '@earendil-works/pi-tui'
import { describe, expect, it } from 'vitest'
import { says } from '../../../test/support/scripted-agent.ts'
import type { Paint } from '../screen/theme.ts'
import { openScripted } from '../testing/scripted-tab.ts'
import { createHighlight } from './highlight.ts'
import { paintedLines } from './painted-html.ts'

const named: Paint = (tone, text) => (tone === 'plain' || text === '' ? text : `<${tone}:${text}>`)

describe('highlighted code', () => {
  it('has tones for what it is made of, line by line', () => {
    const code = "const a = 'x' // why\n/* one\ntwo */\nreturn 1 < 2 && a"
    expect(createHighlight()(code, 'ts', named)).toMatchInlineSnapshot(`
      [
        "<keyword:const> a = <string:'x'> <comment:// why>",
        "<comment:/* one>",
        "<comment:two */>",
        "<keyword:return> <number:1> < <number:2> && a",
      ]
    `)
  })

  it('is code of a language that is known, by its names', () => {
    const highlight = createHighlight()
    for (const language of [
      'ts',
      'tsx',
      'js',
      'py',
      'sh',
      'rs',
      'html',
      'yml',
      'toml',
      'jsonc',
      'c++',
      'cs',
      'diff',
    ])
      expect(highlight('x = 1', language, named)).not.toBeNull()
    expect(highlight('x = 1', 'soup', named)).toBeNull()
  })

  it('loses and adds nothing', () => {
    const code = '<a href="x">&amp; \'q\'</a>\n\n\tlet x = `a $' + '{b} d` // <script>'
    const lines = createHighlight()(code, 'ts', (_, text) => `\u001b[1m${text}\u001b[0m`) ?? []
    expect(lines.map(stripTerminalSequences).join('\n')).toBe(code)
  })

  it('takes a span without a tone for what is around it', () => {
    const html = 'a <span class="hljs-string">b <span class="hljs-odd">c</span> &lt;</span> d'
    expect(paintedLines(html, (name) => (name === 'hljs-string' ? 'string' : undefined), named)).toEqual([
      'a <string:b ><string:c><string: <> d',
    ])
  })

  it('is drawn anew when the highlighter is there', async () => {
    const { app, turn, screen } = await openScripted(() => says('```ts\nconst a = 1\n```'), { theme: 'dark' })
    await turn('Code?')
    await screen('const a = 1')
    const drawn = (): string => app.draw({ columns: 80, rows: 24 }).lines.join('\n')
    expect(drawn()).toContain('const a = 1')
    app.highlight = createHighlight()
    expect(drawn()).not.toContain('const a = 1')
    expect(stripTerminalSequences(drawn())).toContain('const a = 1')
  })
})
