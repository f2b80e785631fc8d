import { stripTerminalSequences } from '@earendil-works/pi-tui'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../tree/message.ts'
import { widthOf } from '../screen/frame.ts'
import { createTheme, type Paint } from '../screen/theme.ts'
import { callLines, outputLines } from './tool-lines.ts'

const call = (name: string, args: Json) => ({ type: 'tool-call', callID: 'c', name, args }) as const
const result = (output: string, exitCode = 0) =>
  ({ type: 'tool-result', callID: 'c', name: 'run', output, exitCode }) as const

const named: Paint = (tone, text) =>
  tone === 'added' || tone === 'removed' || tone === 'hunk' ? `<${tone}>${text}` : text
const look = { columns: 60, theme: { name: 'plain', paint: named }, isOpened: true } as const

describe('a tool call', () => {
  it('is one line while it is folded, as wide as its place', () => {
    for (const columns of [20, 40, 80]) {
      const lines = callLines(call('run', { command: '汤 '.repeat(90) }), result('a\nb'), {
        ...look,
        columns,
        isOpened: false,
        theme: createTheme('dark'),
      })
      expect(lines.map((line) => widthOf(line))).toEqual([columns])
      expect(stripTerminalSequences(lines[0] ?? '')).toContain('✓ 2 lines')
    }
  })

  it('shows what it was given when it is opened, changes as a diff', () => {
    const args = {
      file_path: 'soup.ts',
      old_string: 'pot\nleek\nend',
      new_string: 'pot\nonion\nend',
      replace_all: true,
    }
    expect(callLines(call('Edit', args), result('ok'), look).join('\n')).toMatchInlineSnapshot(`
      "  ▾ Edit soup.ts                                          ✓ 
          │ replace_all: true
          │  pot
          │ <removed>-leek
          │ <added>+onion
          │  end"
    `)
  })

  it('shows patches of Codex as diffs, also of files that are new', () => {
    const changes = [
      { path: 'a.ts', kind: 'update', diff: '@@ -1 +1 @@\n-leek\n+onion\n' },
      { path: 'b.ts', kind: 'add', diff: 'salt\n' },
    ]
    expect(callLines(call('apply_patch', { changes }), undefined, look).join('\n')).toMatchInlineSnapshot(`
      "  ▾ apply_patch a.ts, b.ts                                … 
          │ *** update a.ts
          │ <hunk>@@ -1 +1 @@
          │ <removed>-leek
          │ <added>+onion
          │ *** add b.ts
          │ <added>+salt"
    `)
  })

  it('shows a bounded part of what it gave, its beginning and its end', () => {
    const lines = outputLines(result(Array.from({ length: 100_000 }, (_, i) => `line ${i}`).join('\n')), look)
    expect(lines).toHaveLength(201)
    expect(lines[120]).toContain('… 99,800 more lines')
    expect(lines.at(-1)).toContain('line 99999')
  })

  it('colours a diff that it printed, and leaves other lines that begin with a minus', () => {
    expect(outputLines(result('--- a\n+++ b\n@@ -1 +1 @@\n-leek\n+onion'), look).join('\n')).toContain(
      '<removed>-leek',
    )
    expect(outputLines(result('- leek\n- onion'), look).join('\n')).not.toContain('<removed>')
  })

  it('takes a removed line that begins with two minuses for no head of a file', () => {
    const diff = '--- a\n+++ b\n@@ -1,3 +1,2 @@\n--- leek\n-salt\n+++ onion\n end'
    const lines = outputLines(result(diff), look).map((line) => line.trim().slice(2))
    expect(lines).toEqual([
      ...['--- a', '+++ b', '<hunk>@@ -1,3 +1,2 @@', '<removed>--- leek'],
      ...['<removed>-salt', '<added>+++ onion', ' end'],
    ])
    const args = { file_path: 'a.sql', old_string: '-- leek', new_string: '++ onion' }
    expect(callLines(call('Edit', args), undefined, look).join('\n')).toMatch(
      /<removed>--- leek.*<added>\+\+\+ onion/s,
    )
  })

  it('breaks very long lines and tabs, and lets no escape sequence through', () => {
    const lines = outputLines(result(`${'x'.repeat(9000)}\n\ta\u001b[31m汤汤`), look)
    for (const line of lines) expect(widthOf(stripTerminalSequences(line))).toBeLessThanOrEqual(60)
    expect(lines.join('')).not.toContain('\u001b[31m')
    expect(lines.at(-1)).toContain('    a汤汤')
  })
})
