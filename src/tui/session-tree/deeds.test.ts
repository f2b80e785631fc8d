import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { openTree, selects } from './testing/open-tree.ts'

describe('in the session tree, a person', () => {
  it('renames and labels a session', async () => {
    const ground = await openTree()
    const { press, screen, bough, pea } = ground
    press('Ctrl+T')
    await selects(ground, 'Soup')
    press('Down', 'r', ' and mint', 'Enter')
    await screen('○ Pea and mint')
    press('l', 'green, best', 'Enter')
    await screen('Pea and mint #green #best')
    expect(await bough.session(pea)).toMatchObject({ title: 'Pea and mint', labels: ['green', 'best'] })
    press('r', ' never', 'Esc')
    press('l', '\u0015', 'Enter')
    await until('the labels to go', async () => (await bough.session(pea)).labels.length === 0)
    expect(await bough.session(pea)).toMatchObject({ title: 'Pea and mint' })
  })

  it('archives a session, which is then hidden unless asked for, and takes it back', async () => {
    const ground = await openTree()
    const { press, screen, bough, pea } = ground
    press('Ctrl+T')
    await selects(ground, 'Soup')
    press('Down', 'a')
    expect(await screen('3 sessions')).not.toContain('Pea')
    await screen('Archived. v shows what is archived.')
    expect(await bough.session(pea)).toMatchObject({ archived: true })
    press('v')
    await screen(/○ Pea +branch · archived/)
    press('Home', 'Down', 'a')
    await screen('It is no longer archived.')
    expect(await bough.session(pea)).toMatchObject({ archived: false })
  })

  it('opens a session in a tab', async () => {
    const ground = await openTree()
    const { press, screen, app, leek, click, pea } = ground
    press('Ctrl+T')
    await selects(ground, 'Soup')
    press('Down', 'Down', 'Enter', 'Enter')
    await screen('Esc looks back')
    expect(app.tab.session.id).toBe(leek)
    expect(app.tabs).toHaveLength(2)
    press('Ctrl+T')
    await screen('● Leek')
    await click('○ Pea')
    await selects(ground, 'Pea')
    await click('○ Pea')
    await screen('Esc looks back')
    expect(app.tab.session.id).toBe(pea)
  })

  it('forks from a session, with the fork dialog', async () => {
    const ground = await openTree()
    const { press, screen, app, leek } = ground
    press('Ctrl+T')
    await selects(ground, 'Soup')
    press('Down', 'Down', 'f')
    await screen('Fork session')
    expect(app.tab.session.id).toBe(leek)
  })

  it('compares two sessions that are marked with space', async () => {
    const ground = await openTree()
    const { press, screen } = ground
    press('Ctrl+T')
    await selects(ground, 'Soup')
    press('c')
    await screen('Compare with which?')
    press('Down', 'Space')
    await screen('1 marked')
    expect(await screen('✓ ├─○ Pea')).toContain('1 marked: mark another to compare')
    press('Space')
    await screen('Compare “Pea” and “Leek”')
    press('Esc')
    expect(await screen('Session tree')).not.toContain('marked')
    press('c')
    await screen('Compare “Soup” and “Leek”')
  })

  it('sees what changes elsewhere, and what is selected stays so', async () => {
    const ground = await openTree()
    const { press, screen, bough, session, leek, pea } = ground
    press('Ctrl+T')
    await selects(ground, 'Soup')
    press('End')
    await selects(ground, 'Cold leek')
    const mint = await bough.fork(pea, { title: 'Mint' })
    await bough.fork(mint.id, { title: 'More mint' })
    await screen('○ More mint')
    await selects(ground, 'Cold leek')
    await bough.change(leek, { title: 'Leek, renamed' })
    await screen('Leek, renamed')
    await bough.remove(leek)
    await screen('(deleted)')
    await selects(ground, 'Cold leek')
    press('p', 'Enter')
    await screen('That session was deleted.')
    await bough.create({ title: 'Another soup', directory: session.directory })
    await screen('◇ Another soup')
  })
})
