import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { Saved } from '../saved/saved.ts'
import { openTui } from '../testing/ground.ts'
import { Remembering } from './remembering.ts'
import { tabsNow } from './restore-tabs.ts'

async function remembering() {
  const ground = await openTui()
  await ground.screen('Esc looks back')
  const place = { data: ground.home.data, directory: ground.directory, server: null }
  const drafts = (): readonly (string | undefined)[] =>
    Saved.open(place)
      .readTabs()
      ?.tabs.map(({ draft }) => draft) ?? []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const saved = Saved.open(place)
  const kept = new Remembering(saved)
  kept.begin(ground.app)
  return { ...ground, drafts, kept, saved }
}

describe('what is typed', () => {
  it('is safe 200 ms after the first of several keys, whatever ends the program then', async () => {
    const { app, kept, drafts } = await remembering()
    app.tab.composer.text = 'half'
    kept.keepSoon()
    vi.advanceTimersByTime(150)
    app.tab.composer.text = 'half a thought'
    kept.keepSoon()
    expect(drafts()).toEqual([])
    vi.advanceTimersByTime(50)
    vi.useRealTimers()
    await until('it to be written', () => drafts()[0] === 'half a thought')
  })

  it('is safe as soon as another window comes to the front', async () => {
    const { app, kept, drafts } = await remembering()
    app.tab.composer.text = 'half a thought'
    kept.keep()
    vi.useRealTimers()
    await until('it to be written', () => drafts()[0] === 'half a thought')
  })

  it('is what was typed last, also where something older is still being written', async () => {
    const { app, kept, saved, drafts } = await remembering()
    app.tab.composer.text = 'older'
    const writing = saved.keepTabsSoon(tabsNow(app))
    app.tab.composer.text = 'newer'
    kept.end()
    expect(drafts()).toEqual(['newer'])
    await writing
    expect(drafts()).toEqual(['newer'])
  })
})
