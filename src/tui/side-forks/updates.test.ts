import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { openTui, type TuiGround } from '../testing/ground.ts'

/** Forks that have reported that. */
async function report(ground: TuiGround, ...texts: readonly string[]): Promise<void> {
  const { id } = await ground.bough.channelOf(ground.session.id)
  for (const text of texts) {
    await ground.bough.say(id, { kind: 'fork' })
    const { openForkID } = await ground.bough.channel(id)
    if (openForkID) await ground.bough.exit(openForkID, { action: 'report', text })
  }
}

describe('pending updates', () => {
  it('show as a count in the status, and as a list', async () => {
    const ground = await openTui({ rows: 30 })
    await report(ground, 'Two herons.', 'An otter.\nIt swims.')
    await ground.screen('2 updates F7')
    ground.press('/updates', 'Enter')
    const screen = await ground.screen('Pending updates')
    expect(screen).toMatch(/Two herons\. +just now/)
    expect(screen).toMatch(/An otter\. It swims\. +just now/)
    ground.press('otter', 'Enter')
    await ground.screen(/Update ─[\s\S]*It swims\./)
  })

  it('can be forgotten, after one more question', async () => {
    const ground = await openTui({ rows: 30 })
    await report(ground, 'Two herons.')
    await ground.screen('1 update F7')
    ground.press('F7')
    await ground.screen('Forget all of them')
    ground.press('Down', 'Enter')
    await ground.screen('Forget 1 update: main is never told')
    ground.press('Enter')
    expect(await ground.bough.updates()).toHaveLength(1)
    ground.press('/updates clear', 'Enter')
    await ground.screen('Forget 1 update: main is never told')
    ground.press('Down', 'Enter')
    await ground.screen('1 update was forgotten.')
    expect(await ground.bough.updates()).toEqual([])
    await until('the count to go', async () => !(await ground.screen()).includes('update F7'))
  })

  it('are forgotten only as far as they had come when the question was asked', async () => {
    const ground = await openTui({ rows: 30 })
    await report(ground, 'Two herons.')
    await ground.screen('1 update F7')
    ground.press('/updates clear', 'Enter')
    await ground.screen('Forget 1 update: main is never told')
    await report(ground, 'An otter.')
    ground.press('Down', 'Enter')
    await ground.screen('1 update was forgotten.')
    expect((await ground.bough.updates()).map(({ text }) => text)).toEqual(['An otter.'])
  })

  it('are forgotten for the tab whose list it is, also when another one is shown meanwhile', async () => {
    const ground = await openTui({ rows: 30 })
    const { app, bough, directory } = ground
    await report(ground, 'Two herons.')
    await ground.screen('1 update F7')
    ground.press('F7')
    await ground.screen('Forget all of them')
    await app.openTab(await bough.create({ title: 'Bread', directory }))
    ground.press('Down', 'Enter')
    await ground.screen('Forget 1 update: main is never told')
    ground.press('Down', 'Enter')
    await ground.screen('1 update was forgotten.')
    expect(await bough.updates()).toEqual([])
  })

  it('are told to be none', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    ground.press('F7')
    await ground.screen('No fork has reported anything')
  })
})
