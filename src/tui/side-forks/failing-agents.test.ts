import { describe, expect, it } from 'vitest'
import { ScriptedAgent, says } from '../../../test/support/scripted-agent.ts'
import { openTui } from '../testing/ground.ts'

describe('an agent that fails', () => {
  it('is shown as such in the transcript, and the tab goes on', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    ground.press('fail out of luck', 'Enter')
    await ground.screen(/✗ .*out of luck/)
    ground.press('Say: soup', 'Enter')
    await ground.screen('told me: “Say: soup”')
  })

  it('that is killed in the middle of a turn keeps what it said, and says why it ended', async () => {
    const agent = new ScriptedAgent('fragile', async function* (prompt) {
      if (!prompt.includes('break')) return yield* says('Still here.')
      yield { type: 'text', text: 'Half of' }
      throw new Error('The process of the agent was killed (SIGKILL).')
    })
    const ground = await openTui({ drivers: [agent.driver] })
    agent.directory = ground.directory
    const session = await ground.bough.create({
      agent: 'fragile',
      directory: ground.directory,
      title: 'Glass',
    })
    await ground.app.openTab(session)
    await ground.screen('fragile')
    ground.press('break', 'Enter')
    const screen = await ground.screen(/✗ .*was killed \(SIGKILL\)/)
    expect(screen).toContain('Half of')
    ground.press('and now?', 'Enter')
    await ground.screen('Still here.')
    await ground.screen('Esc looks back')
  })

  it('in a fork leaves the fork open', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    ground.press('/fork fail out of luck', 'Enter')
    await ground.screen(/└ [\s\S]*✗ .*out of luck/)
    ground.press('Say: soup', 'Enter')
    await ground.screen('told me: “Say: soup”')
    await ground.screen('Exit Alt+X')
  })
})

describe('a turn that is interrupted', () => {
  it('says so, and the tab goes on', async () => {
    const ground = await openTui()
    await ground.screen('Esc looks back')
    ground.press('sleep 1', 'Enter')
    await ground.agent.held(1)
    await ground.screen('Esc interrupts')
    ground.press('Esc')
    await ground.screen('Interrupted')
    await ground.screen('Esc looks back')
    ground.press('Say: soup', 'Enter')
    await ground.screen('told me: “Say: soup”')
  })
})
