import { describe, expect, it } from 'vitest'
import { widthOf } from '../screen/frame.ts'
import { openTui } from '../testing/ground.ts'
import { files, made, mock, opened, steady, twoSoups } from './testing/dialog-ground.ts'

describe('the fork dialog', () => {
  it('shows all that a person wants to know before forking', async () => {
    const ground = await openTui({ files, prompts: ['Say: tomato', 'Say: leek'], drivers: [mock().driver] })
    await opened(ground)
    expect(steady(await ground.screen('← → 1 more'))).toMatchInlineSnapshot(`
      " 1 Soup
      ▌ Say: tomato

        ╭─ Fork session ───────────────────────────────────────────────────────────╮
        │  Session   Soup · 000000                                                 │
        │  From      right after message 4, the newest: “This is turn 2 on this    │
        │            line. You just to…”                                           │
        │  Agent     ‹ offline ›  ← → 1 more                                       │
      ▌ │  Model     the agent's own                                               │
        │  Title     Fork of Soup                                                  │
        │  Context   107 tokens, no limit                                          │
        │            Native: offline itself begins at that point.                  │
        │  Workspace kitchen, branch main, all committed                           │
        │ ›Files     ● New worktree, files as they are now                         │
        │            ○ New worktree from the last commit                           │
        │            ○ Same directory, files as they are now                       │
        │            ○ Restore here: put the files back                            │
        │            Its branch begins at commit 00000000 of main.                 │
        │ [ Fork ] [ Close ]                                                       │
        ╰─ Enter forks · Tab ↑ ↓ ← → choose · Esc closes ──────────────────────────╯
      ────────────────────────────────────────────────────────────────────────────────

      ────────────────────────────────────────────────────────────────────────────────
       offline · kitchen main · 107 tokens                                 Esc closes"
    `)
  })

  it('fits 40 columns and 12 rows; what does not fit is scrolled', async () => {
    const ground = await openTui({ files, prompts: ['Say: tomato'], columns: 40, rows: 12 })
    expect(steady(await opened(ground))).toMatchInlineSnapshot(`
      " 1 Soup
      ╭─ Fork session ───────────────────────╮
      │            begins at that point.     │
      │  Workspace kitchen, branch main, all │
      │            committed                 │
      │ ›Files     ● New worktree, files as  │
      │              they are now            │
      │            ○ New worktree from the   │
      │              last commit             │
      │ [ Fork ] [ Close ]                   │
      ╰─ Enter forks · Esc closes ───────────╯
       offline · kitchen main      Esc closes"
    `)
    ground.press('Tab')
    await ground.screen('›Agent')
  })

  it.each(['dialog', 'asked once more', 'backtrack'])(
    'is drawn in a terminal of any size: %s',
    async (what) => {
      const ground = await openTui({ files, prompts: twoSoups, drivers: [mock().driver] })
      const { press, screen, app } = ground
      await screen('Esc looks back')
      press('Esc', 'u')
      await screen(/╭─ you · 5 ─/)
      if (what !== 'backtrack') {
        press('f')
        await screen('Enter forks')
        press('Shift+Tab', 'Shift+Tab', 'Shift+Tab', 'Right')
        await screen('Seeded:')
      }
      if (what === 'asked once more') {
        press('Tab', 'Tab', 'Tab', '4')
        await screen('● Restore here')
        await screen('Enter forks')
        press('Enter')
        await screen('[ Restore and fork ]')
      }
      for (const columns of [1, 3, 9, 20, 39, 40, 77, 200]) {
        for (const rows of [1, 4, 9, 24, 60]) {
          const { lines } = app.draw({ columns, rows })
          expect(lines.length, `${columns}x${rows}`).toBeLessThanOrEqual(rows)
          expect(Math.max(...lines.map(widthOf)), `${columns}x${rows}`).toBeLessThanOrEqual(
            Math.max(columns, 4),
          )
        }
      }
    },
  )

  it('opens from the palette, with /branch, and with f in backtrack', async () => {
    const { press, screen } = await openTui({ files, prompts: ['Say: tomato', 'Say: leek'] })
    await screen('Esc looks back')
    press('Ctrl+P', 'Fork session', 'Enter')
    await screen('right after message 4, the newest: “This is turn 2')
    press('Esc')
    await screen('Esc looks back')
    press('/branch', 'Enter')
    await screen('right after message 4, the newest')
    press('Esc')
    await screen('Esc looks back')
    press('Esc', 'u', 'f')
    await screen('right before message 3: “Say: leek”')
    press('Esc')
    await screen('BACKTRACK MODE')
    press('Up', 'Alt+Shift+F')
    await screen('right after message 2: “I am bough')
  })

  it('is an error dialog while a turn runs, and nothing else', async () => {
    const { press, screen, agent, app } = await openTui({ files })
    press('sleep 1', 'Enter')
    await agent.held(1)
    await screen('Esc interrupts')
    press('Alt+Shift+F')
    expect(await screen('A turn is running in this session.')).not.toContain('Fork session')
    press('Enter')
    expect(await screen('Esc interrupts')).not.toContain('A turn is running')
    expect(app.tabs).toHaveLength(1)
    agent.release(1)
  })

  it('does not fork while a turn runs that began meanwhile, and does after it', async () => {
    const ground = await openTui({ files, prompts: ['Say: tomato'] })
    const { press, screen, bough, session, agent, app } = ground
    await opened(ground)
    const turn = await bough.send(session.id, 'sleep 1')
    await agent.held(1)
    await screen('A turn is running in this session.')
    press('Enter')
    expect(await bough.children(session.id)).toEqual([])
    agent.release(1)
    await turn.ended
    expect(await screen('right after message 4, the newest')).not.toContain('A turn is running')
    press('Enter')
    await screen(made)
    expect(app.tabs).toHaveLength(2)
  })
})
