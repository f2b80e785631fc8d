import { describe, expect, it } from 'vitest'
import { keysIn } from '../screen/key-chunks.ts'
import { openTui } from '../testing/ground.ts'
import { actionNames, actionOf } from './actions.ts'
import { KeyMap } from './key-map.ts'
import { isKeyName } from './key-name.ts'

describe('the keys of the table', () => {
  it('are keys, and none does two things in one place', () => {
    for (const name of actionNames)
      expect([name, actionOf(name).keys.filter((key) => !isKeyName(key))]).toEqual([name, []])
    const places = actionNames.flatMap((name) =>
      actionOf(name).keys.map((key) => `${actionOf(name).scope} ${key}`),
    )
    expect(places.filter((place, i) => places.indexOf(place) !== i)).toEqual([])
  })

  it('have a second one where a terminal may not send the first, and the palette', () => {
    const isRare = (key: string): boolean => /shift\+|ctrl\+(?:page|home|end)|super/.test(key)
    const rare = actionNames.filter((name) => actionOf(name).keys.some(isRare))
    expect(rare).toContain('fork.dialog')
    for (const name of rare) {
      const { keys, scope, isLocal = false } = actionOf(name)
      expect([name, keys.every(isRare)]).toEqual([name, false])
      if (scope === 'anywhere') expect([name, isLocal]).toEqual([name, false])
    }
  })

  it('find Alt+Shift+F in all the ways that terminals send it', () => {
    const map = new KeyMap()
    for (const sent of [
      '\u001bF',
      '\u001b[102;4u',
      '\u001b[102:70;4u',
      '\u001b[27;4;70~',
      '\u001b[27;4;102~',
    ])
      expect([sent, map.find(['anywhere'], sent)]).toEqual([sent, 'fork.dialog'])
    for (const sent of ['F', '\u001bf', '\u001b[102;3u', '\u001b[1;3C'])
      expect([sent, map.find(['anywhere'], sent)]).toEqual([sent, null])
  })

  it('take no paste for a key', () => {
    expect(new KeyMap().find(['composer', 'anywhere'], `\u001b[200~?\u001b[201~`)).toBeNull()
  })
})

describe('what a terminal sends', () => {
  it('is several Escs where it is one piece of them', () => {
    expect(keysIn('\u001b\u001b')).toEqual(['\u001b', '\u001b'])
    expect(keysIn('\u001b\u001b\u001b')).toHaveLength(3)
    for (const one of ['\u001b', '\u001b[A', '\u001bF', 'x', '']) expect(keysIn(one)).toEqual([one])
  })

  it('comes later than it was pressed where Escs are held back, as in tmux', async () => {
    const { press, screen, clock } = await openTui({ prompts: ['Say: tomato', 'Say: leek'], rows: 30 })
    await screen('Esc looks back')
    // Pressed 150 ms after each other: the first two come with the second, the third half a second late.
    press('\u001b\u001b')
    await screen(/╭─ you · 3 ─/)
    clock.now += 650
    press('Esc')
    expect(await screen('Esc looks back')).not.toContain('BACKTRACK')
    clock.now += 5000
    press('\u001b\u001b')
    await screen(/╭─ you · 3 ─/)
    clock.now += 950
    press('Esc')
    await screen(/╭─ agent · 2 ─/)
  })

  it('for a key that is let go does nothing more', async () => {
    const { press, screen } = await openTui({ prompts: ['Say: tomato', 'Say: leek'], rows: 30 })
    await screen('Esc looks back')
    // As the kitty protocol tells it: pressed, let go.
    press('\u001b[27u', '\u001b[27;1:3u')
    await screen(/╭─ agent · 4 ─/)
    press('\u001b[97u', '\u001b[97;1:3u')
    press('\u001b[98;1:1u', '\u001b[98;1:3u')
    expect(await screen('Esc clears')).toMatch(/^ab\s*$/m)
  })

  it('for Esc and a key soon after it is two keys while looking back, as tmux gives them', async () => {
    const { press, screen } = await openTui({ prompts: ['Say: tomato', 'Say: leek'], rows: 30 })
    await screen('Esc looks back')
    press('Esc')
    await screen(/╭─ agent · 4 ─/)
    press('\u001bu')
    await screen(/╭─ you · 1 ─/)
    press('Esc')
    await screen('Esc looks back')
  })

  it('for Esc and an arrow soon after it is both, also where tmux gives them as that key with Alt', async () => {
    const { press, screen, clock } = await openTui({
      ...{ prompts: ['Say: tomato', 'Say: leek', 'Say: pea'], rows: 40 },
    })
    await screen('Esc looks back')
    press('Esc')
    await screen(/╭─ agent · 6 ─/)
    for (const [sent, at] of [
      ['\u001b[1;3A', 'agent · 4'],
      ['\u001b[1;3F', 'agent · 6'],
      ['\u001b[5;3~', 'you · 1'],
      ['End', 'agent · 6'],
      ['\u001b[1;3H', 'you · 1'],
      ['Down', 'agent · 2'],
      ['\u001b[6;3~', 'agent · 6'],
      ['Up', 'you · 5'],
      // One back and one on.
      ['\u001b[1;3B', 'you · 5'],
    ] as const) {
      clock.now += 1000
      press(sent)
      await screen(new RegExp(`╭─ ${at} ─`))
    }
  })
})
