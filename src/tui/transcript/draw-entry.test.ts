import { stripTerminalSequences } from '@earendil-works/pi-tui'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { count, seed } from '../../../test/support/size.ts'
import type { MessageID, SessionID } from '../../tree/ids.ts'
import type { Message, Part } from '../../tree/message.ts'
import { widthOf } from '../screen/frame.ts'
import { createTheme } from '../screen/theme.ts'
import { grown } from './draft.ts'
import { drawEntry } from './draw-entry.ts'
import { DrawnEntries } from './drawn-entries.ts'
import type { DraftEntry, Entry, MessageEntry } from './entry.ts'

const theme = createTheme('plain')
const id: MessageID = 'msg_1'
const sessionID: SessionID = 'ses_1'

const entryOf = (message: Partial<Message> & Pick<Message, 'role' | 'parts'>): MessageEntry => ({
  kind: 'message',
  key: id,
  message: {
    ...{ id, sessionID, seq: 1, text: '', status: 'complete', nativeID: null, usage: null, snapshot: null },
    created: 0,
    ...message,
  },
  order: 0,
  results: [],
})

const drawn = (entry: Entry, columns = 40, isOpened = false): string =>
  drawEntry(entry, { columns, theme, isOpened }).map(stripTerminalSequences).join('\n')

const said = (role: Message['role'], text: string): MessageEntry =>
  entryOf({ role, parts: [{ type: 'text', text }] })

describe('an entry', () => {
  it('looks when it is finished as its draft did', () => {
    const piece = fc.oneof(
      fc.record({
        type: fc.constant('text' as const),
        text: fc.constantFrom('Leek ', '**x', '** y\n', '\n\n', '```\n', '- a\n', '汤'),
      }),
      fc.record({ type: fc.constant('reasoning' as const), text: fc.constantFrom('Hm. ', 'So\nit is') }),
      fc.record({
        type: fc.constant('tool-call' as const),
        call: fc.constant({ type: 'tool-call' as const, callID: 'c', name: 'run', args: { command: 'ls' } }),
      }),
    )
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 30 }),
        fc.boolean(),
        fc.constantFrom(20, 80),
        (pieces, isOpened, columns) => {
          const look = { columns, theme, highlight: null }
          const kept = new DrawnEntries(() => isOpened)
          const linesOf = (entry: Entry): readonly string[] =>
            kept.bodyOf(entry, look).flatMap(({ lines }) => lines)
          let draft: DraftEntry | null = null
          let last: readonly string[] = []
          for (const each of pieces) {
            draft = grown(draft, { ...each, messageID: id })
            last = linesOf(draft)
          }
          const message = entryOf({ role: 'assistant', parts: draft?.parts ?? [] })
          expect(linesOf(message)).toEqual(last)
          expect(
            new DrawnEntries(() => isOpened).bodyOf(message, look).flatMap(({ lines }) => lines),
          ).toEqual(last)
        },
      ),
      { numRuns: count(1000, 80), seed: seed() },
    )
  })

  it('says what it is', () => {
    expect(drawn(said('user', 'Soup?\n\nNow.'))).toBe('▌ Soup?\n▌ \n▌ Now.\n')
    expect(drawn(said('error', 'It crashed.'))).toBe('  ✗ It crashed.\n')
    expect(drawn(said('summary', 'Leek.'))).toBe('  Summary\n  │ Leek.\n')
    expect(drawn(entryOf({ role: 'system', parts: [{ type: 'notice', text: 'Interrupted.' }] }))).toBe(
      '  Interrupted.\n',
    )
    expect(
      drawn(entryOf({ role: 'assistant', status: 'failed', parts: [{ type: 'text', text: 'So' }] })),
    ).toBe('  So\n  — cut off: the turn failed\n')
    expect(drawn({ kind: 'note', key: 'n', tone: 'warning', text: 'Mind the pot.' })).toBe(
      '  Mind the pot.\n',
    )
  })

  it('shows nothing of what bough told the agent, nor of a tool while it is folded', () => {
    const result: Part = { type: 'tool-result', callID: 'c', name: 'run', output: 'leek', exitCode: 0 }
    expect(drawn(entryOf({ role: 'user', parts: [{ type: 'context', text: 'secret' }] }))).toBe('')
    expect(drawn(entryOf({ role: 'tool', parts: [result] }))).toBe('')
    expect(drawn(entryOf({ role: 'tool', parts: [result] }), 40, true)).toBe('    │ leek\n')
  })

  it('folds what a person pasted, unless it is short or opened', () => {
    const paste = (lines: number): string => Array.from({ length: lines }, (_, i) => `line ${i}`).join('\n')
    const folded = drawn(said('user', paste(5000))).split('\n')
    expect(folded.slice(-4)).toEqual(['▌ line 18', '▌ line 19', '▌ ▸ 4,980 more lines', ''])
    expect(folded).toHaveLength(22)
    expect(drawn(said('user', paste(5000)), 40, true)).toContain('▌ line 4999')
    expect(drawn(said('user', paste(60)))).toContain('▌ line 59')
    expect(drawn(said('assistant', paste(5000)))).toContain('line 4999')
    expect(drawn(said('user', '汤'.repeat(20_000)))).toMatch(/▸ 1\d,\d{3} more characters/)
  })

  it('is never wider than its place, whatever was said', () => {
    const roles = fc.constantFrom<Message['role']>('user', 'assistant', 'error', 'summary', 'system')
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.constantFrom('汤'.repeat(90), 'x'.repeat(5000), '\t\t|\t🍲'),
    )
    fc.assert(
      fc.property(roles, text, fc.constantFrom(10, 40, 200), (role, words, columns) => {
        const lines = drawEntry(said(role, words), { columns, theme, isOpened: true })
        const isWrong = (line: string): boolean =>
          widthOf(line) > columns || /\p{Cc}/u.test(stripTerminalSequences(line))
        expect(lines.filter(isWrong)).toEqual([])
      }),
      { numRuns: count(2000, 150), seed: seed() },
    )
  })

  it('is drawn in pieces where it is long, so that only what is seen is drawn', () => {
    const text = Array.from({ length: 100_000 }, (_, i) => `line ${i}`).join('\n')
    for (const role of ['user', 'assistant'] as const) {
      const pieces = new DrawnEntries(() => true).bodyOf(said(role, text), {
        columns: 80,
        theme,
        highlight: null,
      })
      expect(pieces.length).toBeGreaterThan(1000)
      expect(pieces.at(-1)?.lines.at(-1)).toContain('line 99999')
    }
  })
})
