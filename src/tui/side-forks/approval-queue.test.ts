import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { ask, asking, gone, isThere } from './testing/asking.ts'

describe('an approval that comes while somebody types', () => {
  it('is shown, but takes no keys: they go to the composer, until F8 brings it to the front', async () => {
    const ground = await asking()
    await ground.screen('Esc looks back')
    ground.press('run touch x', 'Enter', 'add salt')
    await ground.screen('An agent asks')
    await ground.screen('F8 to answer')
    ground.press(' and dill', 'Enter')
    await ground.screen('⋯ add salt and dill')
    expect(isThere(ground)).toBe(false)
    ground.press('F8')
    await ground.screen('Esc later')
    ground.press('a', 'Enter')
    await until('the file', () => isThere(ground))
  })

  it('is put away with Esc, which interrupts nothing then', async () => {
    const ground = await asking()
    await ground.screen('Esc looks back')
    ground.press('run touch x', 'Enter', 'salt')
    await ground.screen('F8 to answer · Esc later')
    await ground.screen('Esc answers later')
    ground.press('Esc')
    await gone(ground)
    await ground.screen('1 asked F8')
    expect(ground.app.tab.conversation.isRunning).toBe(true)
    expect(ground.app.tab.composer.text).toBe('salt')
  })

  it('is not answered by a key that comes sooner than it can have been read', async () => {
    const ground = await asking()
    await ground.screen('Esc looks back')
    ground.press('run touch x', 'Enter')
    ground.clock.now += 1000
    await ground.screen('An agent asks')
    ground.clock.now += 100
    ground.press('a')
    await ground.screen('F8 to answer')
    ground.clock.now += 5000
    ground.press('d', 'd')
    await ground.screen('add')
    expect(await ground.bough.permissions()).toHaveLength(1)
  })

  it('is brought to the front by a click, which does not answer by chance', async () => {
    const ground = await asking()
    await ground.screen('Esc looks back')
    ground.press('run touch x', 'Enter', 'salt')
    await ground.screen('F8 to answer')
    await ground.click('[d Deny]')
    await ground.screen('Esc later')
    expect(await ground.bough.permissions()).toHaveLength(1)
    await ground.click('[a Allow once]')
    await ground.screen('Enter or a click on it: Allow once')
    await ground.click('once]')
    await until('the file', () => isThere(ground))
  })
})

describe('the queue of background approvals', () => {
  it('does not come up by itself: it is in the status, in the palette and under F8', async () => {
    const ground = await asking({ rows: 30 })
    await ground.screen('Esc looks back')
    ground.press('/run run touch x', 'Enter')
    expect(await ground.screen('1 asked F8')).not.toContain('An agent asks')
    ground.press('Ctrl+P', 'agents ask')
    await ground.screen('What agents ask')
    ground.press('Enter')
    await ground.screen('run: touch x')
    ground.press('Enter')
    await ground.screen(/An agent asks[\s\S]*touch x/)
    ground.press('a', 'Enter')
    await until('the file', () => isThere(ground))
    await until('the count to go', async () => !(await ground.screen()).includes('asked F8'))
  })

  it('shows what is asked first in 40 columns', async () => {
    const ground = await asking({ columns: 40 })
    await ground.bough.change(ground.session.id, { title: 'Fix the flaky login tests' })
    await ask(ground, 'run touch a-long-name-of-a-file')
    ground.press('Esc')
    await gone(ground)
    ground.press('F8')
    await ground.screen('run: touch a-long-name-of-a-file')
  })

  it('keeps keys for the one that was chosen, while that is being loaded', async () => {
    let hold: Promise<void> | null = null
    const ground = await asking({
      seen: (bough) => ({
        ...bough,
        session: async (id) => {
          await hold
          return bough.session(id)
        },
      }),
    })
    await ask(ground)
    ground.press('Esc')
    await gone(ground)
    ground.press('F8')
    await ground.screen('run: touch x')
    const { promise, resolve } = Promise.withResolvers<void>()
    hold = promise
    ground.press('Enter', 'a', 'Enter')
    expect(ground.app.tab.composer.text).toBe('')
    resolve()
    await until('the file', () => isThere(ground))
  })

  it('says so where what was chosen is answered meanwhile', async () => {
    let hold: Promise<void> | null = null
    const ground = await asking({
      seen: (bough) => ({
        ...bough,
        session: async (id) => {
          await hold
          return bough.session(id)
        },
      }),
    })
    await ask(ground)
    ground.press('Esc')
    await gone(ground)
    ground.press('F8')
    await ground.screen('run: touch x')
    const { promise, resolve } = Promise.withResolvers<void>()
    hold = promise
    ground.press('Enter')
    const [permission] = await ground.bough.permissions()
    if (permission) await ground.bough.answer(permission.id, { allow: false })
    await until('the tab to know', () => ground.app.permissions.length === 0)
    resolve()
    await ground.screen('That was answered elsewhere.')
    expect(await ground.screen()).not.toContain('An agent asks')
  })

  it('is told to be empty', async () => {
    const ground = await asking()
    await ground.screen('Esc looks back')
    ground.press('F8')
    await ground.screen('No agent asks for anything.')
  })
})
