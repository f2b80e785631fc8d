import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { widthOf } from '../screen/frame.ts'
import { openTui } from '../testing/ground.ts'
import { all, openTree, selects, shownIn } from './testing/open-tree.ts'

describe('the session tree', () => {
  it('opens with Ctrl+T: all sessions of this project as a drawn tree, with a preview of the selected one', async () => {
    const { press, screen } = await openTree()
    press('Ctrl+T')
    await screen('4 sessions')
    const shown = (await screen('You just told me')).replace(/\w{6} · offline/, 'k3f9qa · offline')
    expect(shown).toMatchInlineSnapshot(`
      " 1 Soup
       Session tree kitchen · 4 sessions
        ◆ Soup                                                    main    offline  now
        ├─○ Pea                                                   branch  offline  now
        └─○ Leek                                                  branch  offline  now
          └─○ Cold leek                                           branch  offline  now










      ────────────────────────────────────────────────────────────────────────────────
       Soup
       k3f9qa · offline · kitchen · 2 messages of its own
         I am bough's offline agent: no model, just plain instructions and a memory.

         This is turn 1 on this line. You just told me: “Say: tomato”. You told me
         nothing before.
       Enter open · f fork · Space mark · c compare · / find · ← → fold · Esc close"
    `)
  })

  it('opens with /tree, and closes with Esc, q and Ctrl+T', async () => {
    const { press, screen } = await openTree()
    for (const key of ['Esc', 'q', 'Ctrl+T']) {
      press('/tree', 'Enter')
      await screen('Session tree')
      press(key)
      await screen('Esc looks back')
    }
  })

  it('shows the preview beside the tree where there is room, and none where there is little', async () => {
    const { press, screen, terminal } = await openTree({ columns: 130, rows: 14 })
    press('Ctrl+T')
    await screen(/◆ Soup .* │ .*Soup/)
    await screen(/│ +“Say: tomato”\. You told me nothing/)
    terminal.resize(60, 10)
    await until('the preview to go', async () => !(await screen()).includes('You just told me'))
    expect(await screen('◆ Soup')).not.toContain(' │ ')
  })

  it('fits into 40 columns and few rows', async () => {
    const { press, screen } = await openTree({ columns: 40, rows: 8 })
    press('Ctrl+T')
    await screen('4 sessions')
    expect(await screen('Leek')).toMatchInlineSnapshot(`
      " 1 Soup
       Session tree kitchen · 4 sessions
        ◆ Soup            main    offline  now
        ├─○ Pea           branch  offline  now
        └─○ Leek          branch  offline  now
          └─○ Cold leek   branch  offline  now

       Enter open · f fork · Esc close"
    `)
  })

  it('shows the kind of a session, and how it stands with it', async () => {
    const ground = await openTui({ columns: 100, rows: 20, config: {} })
    const { bough, session, press, screen, app, agent } = ground
    const { id: channelID } = app.tab.place.channel
    for (const [topic, action] of [
      ['First', 'discard'],
      ['Second', 'report'],
    ] as const) {
      await bough.say(channelID, { kind: 'fork', topic })
      const { openForkID } = await bough.channel(channelID)
      if (openForkID) await bough.exit(openForkID, { action, text: 'Done.' })
    }
    const asks = await bough.fork(session.id, { title: 'Asks' })
    await bough.send(asks.id, 'run true')
    const works = await bough.fork(session.id, { title: 'Works' })
    await bough.send(works.id, 'sleep 1')
    await agent.held(1)
    await until('it to ask', async () => (await bough.permissions()).length > 0)
    press('Ctrl+T')
    for (const row of [
      /◆ Soup +main /,
      /○ First +fork +discarded/,
      /○ Second +fork +reported/,
      /○ Asks +branch +waiting for approval/,
      /○ Works +branch +running/,
    ])
      await screen(row)
    agent.release(1)
    const [permission] = await bough.permissions()
    if (permission) await bough.answer(permission.id, { allow: false })
    await screen(/○ Works +branch +offline/)
    await screen(/○ Asks +branch +offline/)
  })

  it('marks a fork that was saved as main', async () => {
    const { bough, app, press, screen } = await openTui({ columns: 100, prompts: ['Say: tomato'] })
    const { id } = app.tab.place.channel
    await bough.say(id, { kind: 'fork', topic: 'Better soup' })
    const { openForkID } = await bough.channel(id)
    if (openForkID) await bough.exit(openForkID, { action: 'save' })
    await until('the tab to be there', () => app.tab.session.id === openForkID)
    press('Ctrl+T')
    await screen(/● Better soup +main · fork +saved/)
  })

  it('shows sessions of this project and of worktrees made from it; with e those of all projects', async () => {
    const { bough, session, press, screen, directory } = await openTui({
      files: { 'soup.txt': 'tomato\n' },
      prompts: ['write soup.txt: leek'],
    })
    const fork = await bough.fork(session.id, { title: 'In a worktree', files: 'worktree' })
    expect(fork.workspaceID).not.toBeNull()
    await bough.create({ title: 'Elsewhere', directory: dirname(directory) })
    press('Ctrl+T')
    const own = await screen('In a worktree')
    expect(own).not.toContain('Elsewhere')
    expect(own).toContain('kitchen · 2 sessions')
    press('e')
    expect(await screen('Elsewhere')).toContain('all projects · 3 sessions')
    press('e')
    await screen('kitchen · 2 sessions')
  })

  it('moves with the arrows, Home and End, pages, the wheel and clicks', async () => {
    const ground = await openTree()
    const { press, click, terminal } = ground
    press('Ctrl+T')
    await selects(ground, 'Soup')
    for (const [key, title] of [
      ['Down', 'Pea'],
      ['Down', 'Leek'],
      ['End', 'Cold leek'],
      ['Home', 'Soup'],
      ['PgDn', 'Cold leek'],
      ['PgUp', 'Soup'],
      ['Up', 'Cold leek'],
    ] as const) {
      press(key)
      await selects(ground, title)
    }
    await click('○ Pea')
    await selects(ground, 'Pea')
    terminal.type('\u001b[<65;10;10M')
    await selects(ground, 'Cold leek')
  })

  it('goes to the session that one was forked from', async () => {
    const ground = await openTree()
    const { press } = ground
    press('Ctrl+T')
    await selects(ground, 'Soup')
    press('End', 'p')
    await selects(ground, 'Leek')
    press('p')
    await selects(ground, 'Soup')
    press('p')
    await selects(ground, 'Soup')
  })

  it('folds and unfolds what is below a session', async () => {
    const ground = await openTree()
    const { press, screen } = ground
    press('Ctrl+T')
    await selects(ground, 'Soup')
    press('Down', 'Down', 'Left')
    expect(shownIn(await screen('▸ +1 Leek'), all)).toEqual(['Soup', 'Leek', 'Pea'])
    press('Left')
    await selects(ground, 'Soup')
    press('Left')
    expect(shownIn(await screen('▸ +3 Soup'), all)).toEqual(['Soup'])
    press('Right')
    await screen('▸ +1 Leek')
    press('z')
    await screen('▸ +3 Soup')
    press('z')
    expect(shownIn(await screen('Cold leek'), all)).toEqual(all)
  })

  it('shows an unforked run as one line, that opens', async () => {
    const { fork, cold, press, screen } = await openTree({ rows: 30 })
    let last = cold
    for (const title of ['Once', 'Twice', 'Thrice', 'At last']) last = await fork(last, title)
    press('Ctrl+T')
    const folded = await screen('┆ ▸ 4 sessions in a row')
    expect(folded).toContain('○ At last')
    expect(folded).not.toContain('Twice')
    expect(folded).toContain('8 sessions')
    press('End', 'Up', 'Enter')
    expect(await screen('Twice')).not.toContain('in a row')
    press('z', 'z')
    await screen('4 sessions in a row')
  })

  it('shows only what is looked for: by words, by kind, by agent', async () => {
    const { press, screen, bough, session } = await openTree()
    await bough.fork(session.id, { title: 'Small', model: 'tiny' })
    press('Ctrl+T')
    await screen('5 sessions')
    press('/', 'leek')
    expect(shownIn(await screen('“leek”'), all)).toEqual(['Soup', 'Leek', 'Cold leek'])
    expect(await screen('2 sessions')).not.toContain('Pea')
    press('Down', 'Enter')
    await screen('/ find')
    press('t')
    expect(await screen('only sessions')).toContain('No session fits that.')
    press('Esc')
    expect(shownIn(await screen('5 sessions'), all)).toEqual(all)
    press('t', 't')
    expect(await screen('only branches')).toContain('4 sessions')
    press('t', 't', 't', 'g')
    expect(await screen('only offline')).toContain('5 sessions')
    press('Esc', '/', 'nothing like it')
    await screen('No session fits that.')
    press('Esc')
    await screen('5 sessions')
    press('Esc')
    await screen('Esc looks back')
  })

  it('keeps the line between tree and preview in its column when nothing is found', async () => {
    const { press, screen, terminal } = await openTree({ columns: 130, rows: 14 })
    press('Ctrl+T')
    await screen('4 sessions')
    const columns = async () => (await terminal.lines()).slice(4, -4).map((line) => line.indexOf('│'))
    const [column] = await columns()
    press('/', 'nothing like it')
    await screen('No session fits that.')
    expect(new Set(await columns())).toEqual(new Set([column]))
  })

  it('folds and unfolds also what is found, until something else is looked for', async () => {
    const ground = await openTree()
    const { press, screen, bough, leek } = ground
    press('Ctrl+T')
    await screen('4 sessions')
    press('/', 'leek', 'Enter')
    await selects(ground, 'Leek')
    press('Left')
    expect(shownIn(await screen('▸ +1 Leek'), all)).toEqual(['Soup', 'Leek'])
    await selects(ground, 'Leek')
    press('Left')
    await selects(ground, 'Soup')
    press('Left')
    expect(shownIn(await screen('▸ +2 Soup'), all)).toEqual(['Soup'])
    await bough.change(leek, { labels: ['warm'] })
    await selects(ground, 'Soup')
    press('Right', 'Down', 'Right')
    expect(shownIn(await screen('#warm'), all)).toEqual(['Soup', 'Leek', 'Cold leek'])
    press('z')
    await screen('▸ +2 Soup')
    press('/', ' leek', 'Enter')
    await screen('Cold leek')
    press('z', 'Esc')
    expect(shownIn(await screen('○ Pea'), all)).toEqual(all)
  })

  it('groups the sessions of all projects under a heading for each, that folds', async () => {
    const ground = await openTree({ rows: 30 })
    const { bough, press, screen, click, directory } = ground
    const other = join(dirname(directory), 'attic')
    mkdirSync(other)
    const { id } = await bough.create({ title: 'Dust', directory: other })
    await bough.create({ title: 'Second soup', directory })
    await bough.fork(id, { title: 'Cobwebs' })
    press('Ctrl+T')
    expect(await screen('5 sessions')).not.toContain('▾')
    press('e')
    const shown = (await screen('7 sessions')).split('\n').slice(2, 11)
    const path = (line: string) => line.replace(/ {2}\S+$/, '  PATH')
    expect(shown.map((line) => line.replace(/ {3}.*/, '')).map(path)).toMatchInlineSnapshot(`
      [
        "  ▾ kitchen · 5 sessions  PATH",
        "  ◆ Soup",
        "  ├─○ Pea",
        "  └─○ Leek",
        "",
        "  ◇ Second soup",
        "  ▾ attic · 2 sessions  PATH",
        "  ◇ Dust",
        "  └─○ Cobwebs",
      ]
    `)
    expect(shown[0]).toMatch(/[~…]?\/.*kitchen$/)
    press('Left')
    await screen('▸ +3 Soup')
    press('Left')
    await screen(/kitchen · 5 sessions/)
    press('Left')
    expect(await screen('▸ kitchen')).not.toContain('Second soup')
    press('f')
    await screen('Go to a session first.')
    press('Enter')
    await screen('Second soup')
    await click('▾ attic')
    expect(await screen('▸ attic')).not.toContain('Dust')
    press('z')
    expect(await screen('▸ kitchen')).not.toContain('Soup ')
    press('z', '/', 'attic')
    const found = await screen('“attic”')
    expect(found).toContain('Cobwebs')
    expect(found).not.toContain('Second soup')
  })

  it('keeps the heading of a project in sight, however far one has scrolled', async () => {
    const { bough, press, screen, directory } = await openTui({ rows: 14 })
    for (let i = 0; i < 20; i++) await bough.create({ title: `Soup ${i}`, directory })
    await bough.create({ title: 'Elsewhere', directory: dirname(directory) })
    press('Ctrl+T')
    await screen('21 sessions')
    press('e')
    await screen('▾ kitchen · 21 sessions')
    press('PgDn')
    expect(await screen('◇ Soup 9')).toContain('▾ kitchen · 21 sessions')
    press('End')
    const end = (await screen('Elsewhere')).split('\n')
    expect(end[2]).toContain('▾ kitchen · 21 sessions')
    press('Home')
    expect((await screen('◆ Soup')).split('▾ kitchen')).toHaveLength(2)
  })

  it('lets no escape sequence and no long title break the screen', async () => {
    const { bough, session, press, screen, terminal } = await openTree({ columns: 60 })
    await bough.fork(session.id, { title: `\u001b[31m汤${'汤'.repeat(40)} end` })
    press('Ctrl+T')
    await screen('汤汤')
    for (const line of await terminal.lines()) expect(line.length).toBeLessThanOrEqual(60)
    expect(terminal.written).not.toContain('\u001b[31m')
  })

  it('stays within the screen, however small that is', async () => {
    const { press, screen, app } = await openTree()
    press('Ctrl+T')
    await screen('4 sessions')
    for (const typed of [[], ['/', 'leek'], ['Enter', 'r']]) {
      press(...typed)
      for (const columns of [1, 5, 17, 40, 79, 109, 110, 200])
        for (const rows of [2, 3, 5, 12, 40]) {
          const { lines } = app.draw({ columns, rows })
          expect(lines).toHaveLength(rows)
          for (const line of lines.slice(1)) expect(widthOf(line)).toBeLessThanOrEqual(columns)
        }
    }
  })

  it('is in the help and has a footer with its keys, also those of the person’s own', async () => {
    const { press, screen } = await openTree({ keys: { 'tree.show': ['o'] } })
    press('Ctrl+T')
    await screen('o open · f fork')
    press('F1')
    await screen('Help')
    press('Esc')
    await screen('Session tree')
  })
})
