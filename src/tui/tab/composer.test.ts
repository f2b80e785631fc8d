import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTui } from '../testing/ground.ts'

const pasted = (text: string): string => `\u001b[200~${text}\u001b[201~`

describe('the composer', () => {
  it('takes several lines: Shift+Enter, Alt+Enter, Ctrl+J, and Enter after a backslash', async () => {
    const { press, screen, bough, session } = await openTui({ rows: 40 })
    await screen('Esc looks back')
    const newLines = ['\u001b[13;2u', '\u001b[27;2;13~', '\u001b\r', '\u001b[13;3u', '\n', '\\']
    for (const [i, key] of newLines.entries()) press(`${i}`, key)
    press('Enter', 'end')
    await screen(/^0\n1\n2\n3\n4\n5\nend/m)
    press('Enter')
    await screen('You just told me')
    const [prompt] = await bough.messages(session.id)
    expect(prompt?.text).toBe('0\n1\n2\n3\n4\n5\nend')
  })

  it('brings back with ↑ and ↓ what was said, also in another tab, and what was cleared', async () => {
    const { press, screen } = await openTui()
    await screen('Esc looks back')
    press('Say: tomato', 'Enter')
    await screen('“Say: tomato”')
    await screen('Esc looks back')
    press('half a thought', 'Esc')
    await screen('Esc looks back')
    press('Alt+N')
    await screen(/ 2 New session/)
    press('a draft', 'Home', 'Up')
    await screen(/^half a thought/m)
    press('Up')
    await screen(/^Say: tomato/m)
    press('Down', 'Down')
    await screen(/^a draft/m)
  })

  it('keeps the draft of a tab while another one is shown', async () => {
    const { press, screen } = await openTui()
    await screen('Esc looks back')
    press('of the first')
    press('Alt+N')
    expect(await screen(/ 2 New session/)).not.toContain('of the first')
    press('of the second', '\u001b1')
    expect(await screen('of the first')).not.toContain('of the second')
    press('\u001b9')
    await screen('of the second')
  })

  it('takes a paste of five thousand lines at once, shows it as one, and sends it whole', async () => {
    const { press, screen, bough, session } = await openTui()
    await screen('Esc looks back')
    const lines = Array.from({ length: 5000 }, (_, i) => `line ${i} 日本語`)
    press('Look: ', pasted(lines.join('\r')), ' and answer')
    await screen('Look: [paste #1 +5000 lines] and answer')
    press('Enter')
    await screen('You just told me')
    const [prompt] = await bough.messages(session.id)
    expect(prompt?.text).toBe(`Look: ${lines.join('\n')} and answer`)
    press('Up')
    await screen(/↓ 499\d more/)
  })

  it('gives the terminal nothing but text, whatever is put into it, pasted or brought back', async () => {
    const { press, screen, app, terminal } = await openTui()
    await screen('Esc looks back')
    const bad = 'so\u001b]52;c;eHg=\u0007up\u009b31m\u202e, hot'
    const { composer } = app.tab
    composer.text = bad
    app.redraw()
    await screen(/^soup, hot/m)
    expect(composer.text).toBe('soup, hot')
    press('Esc', pasted(`my ${bad}\rand\u001b[106;5ubread`))
    await screen(/^my soup, hot\nand\nbread/m)
    expect(composer.text).toBe('my soup, hot\nand\nbread')
    press('Esc', 'a\u009b1mb\u202ec')
    await screen(/^abc/m)
    expect(composer.text).toBe('abc')
    press('Esc')
    composer.recall(`old ${bad}`)
    press('Up')
    await screen(/^old soup, hot/m)
    expect(terminal.written).not.toMatch(/\]52|\u009b|\u202e/)
  })

  it('is at most a third of the screen high, with the cursor in sight', async () => {
    const { press, screen } = await openTui({ rows: 24 })
    await screen('Esc looks back')
    for (let i = 0; i < 30; i++) press(`row-${i}`, '\n')
    press('row-30')
    const down = await screen('row-30')
    const shown = (text: string) => text.match(/^row-\d+/gm) ?? []
    expect(shown(down)).toEqual(['row-26', 'row-27', 'row-28', 'row-29', 'row-30'])
    expect(down).toMatch(/─ ↑ 26 more ─/)
    for (let i = 0; i < 30; i++) press('Up')
    const up = await screen(/^row-0$/m)
    expect(shown(up)).toHaveLength(5)
    expect(up).toMatch(/─ ↓ 26 more ─/)
  })

  it('has wide characters right', async () => {
    const { press, screen, terminal } = await openTui({ columns: 40 })
    await screen('Esc looks back')
    press('日本語のテキスト', 'ok', 'Backspace', 'Backspace', 'Left', 'x')
    await screen(/^日本語のテキスxト/m)
    press('です'.repeat(20))
    await screen('ト')
    for (const line of await terminal.lines()) expect(line.length).toBeLessThanOrEqual(40)
  })

  it('completes commands', async () => {
    const { press, screen } = await openTui()
    await screen('Esc looks back')
    press('/')
    await screen(/→ \/fork \[topic\] +Open a side conversation/)
    press('ti')
    await screen(/→ \/title <text>/)
    press('Enter')
    await screen('Say how it is called')
    press('Onions', 'Enter')
    await screen(/ 1 Onions/)
    press('/', 'he')
    await screen(/→ \/help/)
    press('Tab')
    expect(await screen(/^\/help/m)).not.toContain('→')
    for (const key of ['Esc', 'Ctrl+C']) {
      press(key)
      await screen('Esc looks back')
      press('/', 'hel')
      await screen(/→ \/help.*Esc closes the list/s)
      press(key)
      await screen(/^\/hel(?!.*→).*Esc clears/ms)
    }
  })

  it('sends a path, which is no command, and says what is none', async () => {
    const { press, screen } = await openTui()
    await screen('Esc looks back')
    press('/nosuch thing', 'Enter')
    expect(await screen('There is no command "/nosuch"')).toMatch(/^\/nosuch thing/m)
    press('Esc', '/etc/hosts is wrong', 'Enter')
    await screen('“/etc/hosts is wrong”')
  })

  it('completes files of the workspace after @', async () => {
    const { press, screen, directory } = await openTui({
      files: { 'src/composer.ts': '', 'src/tab.ts': '', '.gitignore': 'out\n' },
    })
    mkdirSync(join(directory, 'out'))
    for (const name of ['out/composer.js', 'with space composer.md', 'bad\u001b[31mcomposer'])
      writeFileSync(join(directory, name), '')
    await screen('Esc looks back')
    press('look at @comp')
    const list = await screen('→ src/composer.ts')
    expect(list).toContain('with space composer.md')
    expect(list).not.toMatch(/out\/composer|bad/)
    press('Down', 'Enter')
    await screen('look at @"with space composer.md"')
    press('and @tab')
    await screen('→ src/tab.ts')
    press('Tab')
    await screen('and @src/tab.ts')
    press('me@tab')
    expect(await screen('me@tab')).not.toContain('→')
  })
})
