import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTui } from '../testing/ground.ts'
import { KeyMap } from './key-map.ts'
import { complaintLine, keysFile, keysIn, readOwnKeys } from './own-keys.ts'

describe("the person's own keys", () => {
  it('override those of the table, one or several, however they are written', () => {
    const { keys, complaints } = keysIn(
      '{"palette.open": ["Ctrl+G", "F2"], "tab.new": "Shift+Option+N", "scroll.top": "pgup", "tree.open": []}',
    )
    expect(complaints).toEqual(['PgUp is both "scroll.top" and "scroll.pageUp"'])
    expect(keys).toEqual({
      'palette.open': ['ctrl+g', 'f2'],
      'tab.new': ['alt+shift+n'],
      'scroll.top': ['pageUp'],
      'tree.open': [],
    })
    const map = new KeyMap(keys)
    expect(map.find(['anywhere'], '\u0007')).toBe('palette.open')
    expect(map.find(['anywhere'], '\u0010')).toBeNull()
    expect(map.find(['anywhere'], '\u001bN')).toBe('tab.new')
    expect(map.find(['anywhere'], '\u0014')).toBeNull()
    expect(map.wordsFor('palette.open')).toBe('Ctrl+G')
  })

  it('that are wrong are told in one line; the rest counts', () => {
    const { keys, complaints } = keysIn(
      '{"palette.opened": "f2", "tab.new": ["hyper+n", "f3"], "tab.close": 7, "tools.toggle": "x"}',
    )
    expect(keys).toEqual({ 'tab.new': ['f3'] })
    expect(complaints).toEqual([
      'there is no action "palette.opened" (/keys lists them)',
      '"hyper+n" of "tab.new" is no key, like "ctrl+g" or "f2"',
      '"7" of "tab.close" is no key, like "ctrl+g" or "f2"',
      '"x" of "tools.toggle" could not be typed any more: add ctrl or alt',
    ])
    expect(complaintLine(complaints)).toBe(
      'keys.json: there is no action "palette.opened" (/keys lists them) (and 3 more). The rest counts.',
    )
    for (const [text, complaint] of [
      ['{', 'it is not valid JSON'],
      ['["ctrl+g"]', 'it must be like {"palette.open": ["ctrl+g"]}'],
    ] as const)
      expect(keysIn(text)).toEqual({ keys: {}, complaints: [complaint] })
  })

  it('that conflict are told, but not where the other one has moved', () => {
    expect(keysIn('{"tab.new": "ctrl+p"}').complaints).toEqual([
      'Ctrl+P is both "tab.new" and "palette.open"',
    ])
    expect(keysIn('{"tab.new": "ctrl+d"}').complaints).toEqual([
      'Ctrl+D is both "tab.new" and "composer.end"',
    ])
    expect(keysIn('{"tab.new": "ctrl+p", "palette.open": "ctrl+n"}').complaints).toEqual([])
    expect(keysIn('{"tree.open": "space"}').keys).toEqual({})
  })

  it('may be a letter that macOS sends for Option+Shift+F, but only where somebody asks for it', async () => {
    expect(new KeyMap().find(['anywhere'], 'Ï')).toBeNull()
    const { keys } = keysIn('{"help.open": ["Ï"]}')
    const { press, screen } = await openTui({ keys })
    press('Ï')
    await screen(/╭─ Help/)
  })

  it('stand beside the configuration; without the file nothing changes', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'keys-'))
    const file = keysFile(join(directory, 'config.json'))
    expect(file).toBe(join(directory, 'keys.json'))
    expect(await readOwnKeys(file)).toEqual({ keys: {}, complaints: [] })
    writeFileSync(file, '{"app.quit": "f10"}')
    expect(await readOwnKeys(file)).toEqual({ keys: { 'app.quit': ['f10'] }, complaints: [] })
    expect((await readOwnKeys(directory)).complaints).toEqual(['it cannot be read'])
  })
})
