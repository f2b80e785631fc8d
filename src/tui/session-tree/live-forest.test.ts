import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { openTree } from './testing/open-tree.ts'

describe('a session tree that cannot be read', () => {
  it('tells why, and is read when something changes next', async () => {
    let reads = 0
    const { press, screen, bough, pea } = await openTree({
      seen: (each) => ({
        ...each,
        tree: async (...given) => {
          reads++
          if (reads <= 2) throw new Error(`It cannot be read: ${reads}.`)
          return each.tree(...given)
        },
      }),
    })
    press('Ctrl+T')
    await screen('It cannot be read: 1.')
    await bough.change(pea, { title: 'Split pea' })
    await screen('It cannot be read: 2.')
    await bough.change(pea, { title: 'Green pea' })
    expect(await screen('4 sessions')).toContain('Green pea')
  })

  it('is read once at a time, and then again for what changed meanwhile', async () => {
    const held = Promise.withResolvers<void>()
    let reads = 0
    const { press, screen, bough, leek, app } = await openTree({
      seen: (each) => ({
        ...each,
        tree: async (...given) => {
          reads++
          const rows = await each.tree(...given)
          await held.promise
          return rows
        },
      }),
    })
    press('Ctrl+T')
    await until('it is being read', () => reads === 1)
    await bough.change(leek, { title: 'Old leek' })
    await bough.change(app.tab.session.id, { title: 'Stew' })
    await until('that is heard of', () => app.tab.session.title === 'Stew')
    expect(reads).toBe(1)
    held.resolve()
    await screen('Old leek')
  })
})
