import { describe, expect, it } from 'vitest'
import { cellsOf } from './cells.ts'
import { drawSessions } from './session-table.ts'
import { testRow } from './test-session.ts'

const plain = { now: 180_000, columns: null, paint: (_style: unknown, text: string) => text }

describe('the table of sessions', () => {
  const sessions = [
    testRow('aaaaaa', 0, { title: 'Plan the dinner', messages: 14 }),
    testRow('bbbbbb', 0, { title: '世界', agent: 'claude', state: 'running' }),
  ]

  it('has a line each, in columns', () => {
    expect(drawSessions(sessions, plain).join('\n')).toBe(
      `
id      title            agent    messages  active
aaaaaa  Plan the dinner  offline        14  3 min ago
bbbbbb  世界             claude          2  running
`.trim(),
    )
  })

  it('marks archived sessions', () => {
    const lines = drawSessions([testRow('aaaaaa', 0, { archived: true }), ...sessions], plain)
    expect(lines.filter((line) => line.includes('archived'))).toEqual([
      expect.stringMatching(/^aaaaaa .*3 min ago · archived$/),
    ])
  })

  it('cuts titles so that every line fits the terminal', () => {
    const wide = [...sessions, testRow('cccccc', 0, { title: '長い題名'.repeat(30) })]
    const lines = drawSessions(wide, { ...plain, columns: 60 })
    for (const line of lines) expect(cellsOf(line)).toBeLessThanOrEqual(60)
    expect(lines[3]).toContain('…')
    expect(lines[3]).toContain('3 min ago')
  })

  it('cuts a very long title also where no terminal is, or every line were as long', () => {
    const long = [...sessions, testRow('cccccc', 0, { title: 'x'.repeat(5_000) })]
    for (const line of drawSessions(long, plain)) expect(cellsOf(line)).toBeLessThan(140)
  })
})
