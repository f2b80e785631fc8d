import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seed } from '../../../test/support/size.ts'
import { messageOf } from '../../agents/offline/test-rig.ts'
import type { Message, Part } from '../message.ts'
import { codeBlock, codeSpan } from './fences.ts'
import { messageMarkdown } from './message-markdown.ts'

const shown = (role: Message['role'], ...parts: Part[]): string => {
  const [rule, head, ...body] = messageMarkdown({ ...messageOf(role, ...parts), created: 0 }).split('\n\n')
  expect(rule).toBe('---')
  expect(head).toMatch(/^\*\*\w+\*\* · 1970-01-01 00:00:00 UTC · `msg_\w+`$/)
  return body.join('\n\n')
}
const text = (words: string): string => shown('assistant', { type: 'text', text: words })

describe('a text', () => {
  it.each([
    'Just words.',
    '# A heading\n\n- a list\n- **bold**\n\n| a | b |\n| - | - |',
    '```js\nconst a = `1`\n```\n\nand\n\n~~~\n```\n~~~',
    '1. Do this:\n   ```sh\n   npm ci\n   ```\n2. Done',
    '````md\n```js\n```\n````',
    'a < b, and 3 <4',
    '```html\n<details>\n```',
    '---\n\nrules are rules',
  ])('that is Markdown in itself stays as it is: %j', (words) => {
    expect(text(words)).toBe(words)
  })

  it.each([
    'cut off:\n```js\nconst a',
    '```\n   ```\n```',
    '- ```\n  code\n\n```',
    '  ```\ncode\n  ```',
    '> ```\n> code',
    '````\n```',
    '```\n~~~',
    '<details>\n\nhidden',
    'an open <!-- comment',
    '---\n\n**User** · 2026-11-16 06:49:37 UTC · `msg_1`\n\nI never said that',
    '**agent** · forged',
  ])('that would reach further than itself is put in a quote: %j', (words) => {
    expect(text(words)).toBe(words.replaceAll(/^/gm, '> ').replaceAll(/ $/gm, ''))
  })

  it('does not drive a terminal', () => {
    expect(text('a\x1b[2Jb\x07c\u009b1md\r\ne')).toBe('abcd\ne')
  })
})

it('A text is left as it is or quoted line by line, whatever it is', () => {
  const words = fc.string({ unit: fc.constantFrom('`', '~', '<', '!', '-', ' ', '\n', 'a', '>', '*') })
  const property = fc.property(words, (said) => {
    const body = text(said)
    const whole = said.replace(/^\n+/, '').trimEnd()
    if (body === whole) return
    const lines = body.split('\n')
    expect(lines.map((line) => line.slice(0, 1)).join('')).toBe('>'.repeat(lines.length))
    expect(lines.map((line) => line.slice(2)).join('\n')).toBe(whole)
  })
  fc.assert(property, { seed: seed(), numRuns: 500 })
})

describe('code', () => {
  it('cannot end its own fence', () => {
    const property = fc.property(fc.string({ unit: fc.constantFrom('`', '\n', 'a', ' ') }), (code) => {
      const lines = codeBlock(code).split('\n')
      const fence = lines[0] ?? ''
      expect(fence).toMatch(/^`{3,}$/)
      expect(lines.at(-1)).toBe(fence)
      expect(lines.slice(1, -1).join('\n')).not.toContain(fence)
      const oneLine = code.replaceAll('\n', '')
      const [, run = ''] = /^(`+)/.exec(codeSpan(oneLine)) ?? []
      expect(codeSpan(oneLine).slice(run.length, -run.length)).not.toContain(run)
    })
    fc.assert(property, { seed: seed() })
  })

  it('may be as long as it likes', () => {
    expect(codeBlock('`a'.repeat(1_000_000))).toMatch(/^```\n/)
  })

  it('shows calls with their arguments and results with their exit code', () => {
    const args = { command: 'echo "```"' }
    expect(shown('assistant', { type: 'tool-call', callID: 'c', name: 'run', args })).toBe(
      'Calls `run`:\n\n````json\n{\n  "command": "echo \\"```\\""\n}\n````',
    )
    expect(
      shown('tool', { type: 'tool-result', callID: 'c', name: 'r`n', output: '\x1b[1m```\n', exitCode: 3 }),
    ).toBe('Result of ``r`n``, exit code 3:\n\n````\n```\n````')
  })
})

it('Thoughts and notices are quotes with a label, and what is empty is not there', () => {
  expect(shown('assistant', { type: 'reasoning', text: 'Hm.\n```' })).toBe('> *Reasoning:*\n>\n> Hm.\n> ```')
  expect(shown('system', { type: 'notice', text: 'Interrupted.' })).toBe('> *Notice:*\n>\n> Interrupted.')
  expect(shown('assistant', { type: 'reasoning', text: '' }, { type: 'text', text: 'So.' })).toBe('So.')
})
