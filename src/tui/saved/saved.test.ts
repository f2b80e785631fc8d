import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Saved } from './saved.ts'
import type { SavedTab } from './saved-tabs.ts'

const session = (n: number) => `ses_${String(n).padStart(26, '0')}` as const
const tab = (n: number, more: Partial<SavedTab> = {}): SavedTab => ({
  channelID: `chn_${n}`,
  sessionID: session(n),
  ...more,
})

function place(directory = '/home/ann/kitchen') {
  const data = mkdtempSync(join(tmpdir(), 'saved-'))
  return { data, directory, server: null }
}

const fileIn = (data: string): string => join(data, 'tui', readdirSync(join(data, 'tui'))[0] ?? '')

describe('what the terminal UI remembers', () => {
  it('are the tabs of a directory, with what is on top and what was typed', () => {
    const here = place()
    const saved = Saved.open(here)
    expect(saved.readTabs()).toBeNull()
    const tabs = [
      tab(1, { top: { session: session(1), key: 'msg_x', line: 3 } }),
      tab(2, { draft: 'half\nsaid' }),
    ]
    saved.keepTabs({ tabs, current: 1 })
    expect(Saved.open(here).readTabs()).toEqual({ tabs, current: 1 })
    expect(Saved.open({ ...here, directory: '/home/ann/garden' }).readTabs()).toBeNull()
    expect(Saved.open({ ...here, server: 'http://127.0.0.1:4517' }).readTabs()).toBeNull()
    expect(statSync(fileIn(here.data)).mode & 0o077).toBe(0)
  })

  it('is not what a damaged file says', () => {
    const here = place()
    Saved.open(here).keepTabs({ tabs: [tab(1)], current: 0 })
    const file = fileIn(here.data)
    for (const text of ['', '{', '[]', '{"version":2,"tabs":[]}', '{"version":1,"tabs":[{}],"current":0}']) {
      writeFileSync(file, text)
      expect([text, Saved.open(here).readTabs()]).toEqual([text, null])
    }
    const [good, bad] = [tab(1), { ...tab(2), sessionID: '../../etc' }]
    writeFileSync(
      file,
      JSON.stringify({ version: 1, current: 7, tabs: [bad, { ...good, top: 'x', draft: 3 }] }),
    )
    expect(Saved.open(here).readTabs()).toEqual({ tabs: [good], current: 0 })
  })

  it('is written whole or not at all, and only where something changed', () => {
    const here = place()
    const saved = Saved.open(here)
    saved.keepTabs({ tabs: [tab(1)], current: 0 })
    writeFileSync(fileIn(here.data), 'mine')
    saved.keepTabs({ tabs: [tab(1)], current: 0 })
    expect(readFileSync(fileIn(here.data), 'utf8')).toBe('mine')
    saved.keepTabs({ tabs: [tab(1), tab(2)], current: 0 })
    expect(readdirSync(join(here.data, 'tui'))).toHaveLength(1)
    saved.keepTabs({ tabs: [], current: -1 })
    expect(saved.readTabs()?.tabs).toHaveLength(2)
  })

  it('of two at once is both: neither takes away what the other has opened', () => {
    const here = place()
    const [one, other] = [Saved.open(here), Saved.open(here)]
    one.keepTabs({ tabs: [tab(1), tab(2)], current: 0 })
    other.know(['chn_1', 'chn_2'])
    other.keepTabs({ tabs: [tab(1), tab(2), tab(3)], current: 2 })
    one.keepTabs({ tabs: [tab(1), tab(4)], current: 1 })
    const ids = () =>
      Saved.open(here)
        .readTabs()
        ?.tabs.map(({ channelID }) => channelID)
    expect(ids()).toEqual(['chn_1', 'chn_4', 'chn_3'])
    // The second one has closed what it had opened.
    other.keepTabs({ tabs: [tab(1)], current: 0 })
    expect(ids()).toEqual(['chn_1', 'chn_4'])
  })

  it('is what was said, a hundred at most, of two at once too', () => {
    const here = place()
    const [one, other] = [Saved.open(here), Saved.open(here)]
    one.say('soup')
    other.say('bread')
    one.say('soup')
    one.say('x'.repeat(20_000))
    expect(Saved.open(here).said).toEqual(['bread', 'soup'])
    for (let i = 0; i < 120; i++) one.say(`dish ${i}`)
    expect(Saved.open(here).said).toHaveLength(100)
    expect(Saved.open(here).said.at(-1)).toBe('dish 119')
  })
})
