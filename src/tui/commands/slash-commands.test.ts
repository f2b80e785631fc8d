import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { openTui } from '../testing/ground.ts'

describe('a command', () => {
  it('may have several lines', async () => {
    const { press, screen, bough, session } = await openTui()
    await screen('Esc looks back')
    press('/run Say: leek', '\n', 'Say: dill', 'Enter')
    await screen('That runs in the background.')
    expect(await bough.messages(session.id)).toEqual([])
    const prompts = async () => {
      const children = await bough.children(session.id)
      return Promise.all(children.map(async ({ id }) => (await bough.messages(id))[0]?.text))
    }
    await until('the run', async () => (await prompts()).includes('Say: leek\nSay: dill'))
  })

  it('has no other slash in its name: that is a path, and said', async () => {
    const { press, screen } = await openTui()
    await screen('Esc looks back')
    press('/usr/bin is full', '\n', 'of old things', 'Enter')
    await screen('You just told me')
  })
})
