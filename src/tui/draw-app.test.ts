import { describe, expect, it } from 'vitest'
import { ProgressPanel } from './fork-dialog/progress-panel.ts'
import { openTui } from './testing/ground.ts'

const words = Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ')

describe('what is told', () => {
  it('stands in full above the status, in up to three lines, and is cut only then', async () => {
    const { app, screen, terminal } = await openTui({ columns: 60 })
    await screen('Esc looks back')
    app.tell('The file keys.json names an action that there is not, so that its key does what it did before.')
    await screen('before.')
    expect((await terminal.lines()).slice(-4, -1).join('\n')).toMatchInlineSnapshot(`
      "────────────────────────────────────────────────────────────
       The file keys.json names an action that there is not, so
       that its key does what it did before."
    `)
    app.tell(words)
    await screen('word0')
    const lines = (await terminal.lines()).slice(-5)
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "────────────────────────────────────────────────────────────
       word0 word1 word2 word3 word4 word5 word6 word7 word8
       word9 word10 word11 word12 word13 word14 word15 word16
       word17 word18 word19 word20 word21 word22 word23 word24 w…
       offline · kitchen                           Esc looks back"
    `)
  })

  it('takes one line where there are few', async () => {
    const { app, screen, terminal } = await openTui({ columns: 40, rows: 9 })
    await screen('Esc looks back')
    app.tell(words)
    await screen('word0')
    expect((await terminal.lines()).slice(-3).join('\n')).toMatchInlineSnapshot(`
      "────────────────────────────────────────
       word0 word1 word2 word3 word4 word5 w…
       offline · kitchen       Esc looks back"
    `)
  })

  it('is all of a whole panel, too', async () => {
    const { app, press, screen, terminal } = await openTui({ columns: 60 })
    await screen('Esc looks back')
    press('Ctrl+T')
    await screen('Soup')
    app.tell(words)
    await screen('word0')
    expect((await terminal.lines()).filter((line) => line.includes('word'))).toHaveLength(3)
  })
})

describe('a fork that is made before anybody could read that', () => {
  it('leaves the screen as it was, with its colours and the cursor, and only keeps clicks away', async () => {
    const { app, screen } = await openTui({ theme: 'dark', prompts: ['Say: leek'] })
    await screen('Esc looks back')
    const size = { columns: 80, rows: 24 }
    const before = app.draw(size)
    const panel = new ProgressPanel(app, () => {})
    app.open(panel)
    const during = app.draw(size)
    app.close(panel)
    // The status says what Esc does.
    expect(during.lines.slice(0, -1)).toEqual(before.lines.slice(0, -1))
    expect(before.areas).not.toEqual([])
    expect(during.areas).toEqual([])
  })
})
