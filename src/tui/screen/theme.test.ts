import { describe, expect, it, onTestFinished } from 'vitest'
import { openTui } from '../testing/ground.ts'
import { VirtualTerminal } from '../testing/virtual-terminal.ts'
import { linesOnly } from './frame.ts'
import { Screen } from './screen.ts'
import { createTheme, themeFor } from './theme.ts'

describe('colours', () => {
  it.each([
    ['light', 'rgb:ffff/ffff/ffff', true],
    ['dark', 'rgb:1e1e/1e1e/1e1e', false],
  ])('go by the background, which the terminal is asked for: %s', async (_, colour, isLight) => {
    const terminal = new VirtualTerminal()
    const screen = Screen.open(terminal, { draw: () => linesOnly(''), key: () => {}, wheel: () => {} })
    onTestFinished(() => screen.close())
    const told = screen.isLight()
    expect(terminal.written).toContain('\u001b]11;?')
    terminal.type(`\u001b]11;${colour}\u0007`)
    expect(await told).toBe(isLight)
    expect(await screen.isLight()).toBeUndefined()
  })

  it('go by what the terminal says of its background, else by a hint of its environment', () => {
    expect(themeFor({}, true)).toBe('light')
    expect(themeFor({ COLORFGBG: '0;15' }, false)).toBe('dark')
    expect(themeFor({ COLORFGBG: '0;15' }, undefined)).toBe('light')
    expect(themeFor({ COLORFGBG: '12;default;8' }, undefined)).toBe('dark')
    expect(themeFor({ COLORFGBG: 'nonsense' }, undefined)).toBe('dark')
    expect(themeFor({}, undefined)).toBe('dark')
  })

  it('are those that the person wants, but never any under NO_COLOR or on a dumb terminal', () => {
    expect(themeFor({}, true, 'dark')).toBe('dark')
    expect(themeFor({}, false, 'plain')).toBe('plain')
    expect(themeFor({ NO_COLOR: '1' }, true, 'light')).toBe('plain')
    expect(themeFor({ TERM: 'dumb' }, true)).toBe('plain')
    expect(themeFor({ NO_COLOR: '' }, true)).toBe('light')
  })

  it('are not used at all in the plain theme', async () => {
    const { screen, press, terminal } = await openTui({ prompts: ['Say: leek'], theme: 'plain' })
    await screen('Esc looks back')
    press('Ctrl+P')
    await screen(/╭─ Commands/)
    const styles = terminal.written.split('\u001b[').flatMap((each) => /^[\d;]*(?=m)/.exec(each) ?? [])
    const isColour = (code: string) => /^(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])$/.test(code)
    expect(styles.length).toBeGreaterThan(3)
    expect(styles.filter((style) => style.split(';').some(isColour))).toEqual([])
    expect(createTheme('dark').paint('accent', 'x')).toContain('38;5;')
  })

  it('of titles and errors are only ours: no escape sequence gets to the terminal', async () => {
    const { terminal, app, bough, directory, screen } = await openTui()
    await screen('Esc looks back')
    await app.openTab(await bough.create({ title: 'a\u001b]0;owned\u0007b\u001b[31mc', directory }))
    app.tell('bad \u001b[2Jnews\u0007')
    await screen('bad news')
    expect(terminal.title).toBe('bough: abc')
    expect(terminal.written).not.toMatch(/owned|\[31m/)
  })
})
