import { describe, expect, it } from 'vitest'
import { openTui } from '../testing/ground.ts'
import { ListPanel } from './list-panel.ts'

const nothing = (): void => {}

describe('a list', () => {
  it('cuts the detail where the text needs the room', async () => {
    const { app, screen } = await openTui({ columns: 40, rows: 12 })
    const items = [
      { text: 'run: touch x', detail: 'Fix the flaky login tests', does: nothing },
      { text: 'write the whole of the soup recipe', detail: 'Fix the flaky login tests', does: nothing },
      { text: 'two', detail: 'Fix the flaky login tests', does: nothing },
      { text: 'without it', detail: 'here', detailFrom: 60, does: nothing },
    ]
    app.open(new ListPanel(app, { title: 'Things', empty: '', items }))
    expect((await screen('Things')).split('\n').slice(4, 8).join('\n')).toMatchInlineSnapshot(`
      "│  run: touch x Fix the flaky login …  │
      │  write the whole of… Fix the flaky…  │
      │  two      Fix the flaky login tests  │
      │  without it                          │"
    `)
  })

  it('gives the terminal nothing but text, whatever is pasted', async () => {
    const { press, screen, terminal } = await openTui()
    await screen('Esc looks back')
    press('Ctrl+P', '\u001b[200~so\u001b]52;c;eHg=\u0007up\u009b31m\u202e\u001b[201~')
    await screen('> soup')
    expect(terminal.written).not.toMatch(/\]52|\u009b|\u202e/)
  })
})
