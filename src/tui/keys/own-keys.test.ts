import { mkdtempSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTui } from '../testing/ground.ts'
import { KeyMap } from './key-map.ts'
import { complaintLine, keysFile, parseOwnKeys, readOwnKeys } from './own-keys.ts'

describe("the person's own keys", () => {
  it('override those of the table, one or several, however they are written', () => {
    const { keys, complaints } = parseOwnKeys(
      '{"palette.open": ["Ctrl+G", "F2"], "tab.new": "Shift+Option+N", "scroll.top": "pgup", "tree.open": []}',
    )
    expect(complaints).toEqual([
      'PgUp is the key of both "scroll.top" and "scroll.pageUp": give one of them another, or []',
    ])
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

  it('that are wrong are told with the file, the action and what is allowed; the rest counts', () => {
    const { keys, complaints } = parseOwnKeys(
      '{"palette.opened": "f2", "tab.new": ["hyper+n", "f3"], "tab.close": 7, "tools.toggle": "x"}',
    )
    expect(keys).toEqual({ 'tab.new': ['f3'] })
    expect(complaints).toEqual([
      'there is no action "palette.opened"; /keys lists all of them',
      expect.stringMatching(
        /^"hyper\+n" for "tab\.new" is not a key: write a letter, .*f1 to f12.*with ctrl\+/,
      ),
      expect.stringMatching(/^7 for "tab\.close" is not a key: write a letter/),
      '"x" for "tools.toggle" would keep that from being typed: write "ctrl+x" or "alt+x"',
    ])
    expect(complaintLine(join(homedir(), 'b', 'keys.json'), complaints)).toBe(
      '~/b/keys.json: there is no action "palette.opened"; /keys lists all of them. 3 more to mend: /keys tells them all.',
    )
    expect(complaintLine('/b/keys.json', ['x'])).toBe('/b/keys.json: x.')
    for (const [text, complaint] of [
      ['{"tab.new": "f2",}', /^the file is not valid JSON \(.*position 17/],
      [
        '["ctrl+g"]',
        /^the file must name actions with their keys, like \{"palette\.open": \["ctrl\+g", "f2"\]\}$/,
      ],
    ] as const)
      expect(parseOwnKeys(text)).toEqual({ keys: {}, complaints: [expect.stringMatching(complaint)] })
  })

  it('are no letters where something is typed: in lists, forms and the search', () => {
    for (const name of ['list.down', 'runs.stop', 'form.next', 'choices.down', 'search.next'])
      expect(parseOwnKeys(`{"${name}": ["j", "ctrl+n"]}`)).toEqual({
        keys: { [name]: ['ctrl+n'] },
        complaints: [`"j" for "${name}" would keep that from being typed: write "ctrl+j" or "alt+j"`],
      })
    for (const name of ['tree.label', 'backtrack.own', 'approval.deny', 'compare.main', 'reading.up'])
      expect(parseOwnKeys(`{"${name}": "n"}`)).toEqual({ keys: { [name]: ['n'] }, complaints: [] })
  })

  it('that are wrong are all told by /keys', async () => {
    const { press, screen } = await openTui({
      ownKeys: { file: join(homedir(), 'b', 'keys.json'), complaints: ['one is wrong', 'two is wrong'] },
    })
    await screen('Esc looks back')
    press('/keys', 'Enter')
    expect(await screen('Your own keys stand in ~/b/keys.json:')).toMatch(/✗ one is wrong.*✗ two is wrong/s)
  })

  it('that conflict are told, but not where the other one has moved', () => {
    expect(parseOwnKeys('{"tab.new": "ctrl+p"}').complaints).toEqual([
      'Ctrl+P is the key of both "tab.new" and "palette.open": give one of them another, or []',
    ])
    expect(parseOwnKeys('{"tab.new": "ctrl+d"}').complaints).toEqual([
      'Ctrl+D is the key of both "tab.new" and "composer.end": give one of them another, or []',
    ])
    expect(parseOwnKeys('{"tab.new": "ctrl+p", "palette.open": "ctrl+n"}').complaints).toEqual([])
    expect(parseOwnKeys('{"tree.open": "space"}').keys).toEqual({})
  })

  it('may be a letter that macOS sends for Option+Shift+F, but only where somebody asks for it', async () => {
    expect(new KeyMap().find(['anywhere'], 'Ï')).toBeNull()
    const { keys } = parseOwnKeys('{"help.open": ["Ï"]}')
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
    expect((await readOwnKeys(directory)).complaints).toEqual(['the file cannot be read (EISDIR)'])
  })
})
