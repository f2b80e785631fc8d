import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ScriptedAgent, says } from '../../../test/support/scripted-agent.ts'
import { until } from '../../../test/support/until.ts'
import { type GroundOptions, openTui, type TuiGround } from '../testing/ground.ts'

const asking = (options: GroundOptions = {}) => openTui({ config: { permissions: {} }, ...options })

/** Says that, and goes on when the agent asks: the person has looked at the dialog for a while. */
async function ask(ground: TuiGround, prompt = 'run touch x'): Promise<void> {
  await ground.screen('Esc looks back')
  ground.press(prompt, 'Enter')
  ground.clock.now += 1000
  await ground.screen('An agent asks')
  ground.clock.now += 1000
}

const isThere = ({ directory }: TuiGround, file = 'x'): boolean => existsSync(join(directory, file))

const gone = (ground: TuiGround): Promise<boolean> =>
  until('the dialog to close', async () => !(await ground.screen()).includes('An agent asks'))

describe('an approval', () => {
  it('opens as a dialog with what would run, who asks, and the three answers', async () => {
    const ground = await asking()
    await ask(ground)
    expect((await ground.screen('Esc later')).split('\n').slice(7, 15).join('\n')).toMatchInlineSnapshot(`
      "

      ╭─ An agent asks ──────────────────────────────────────────────────────────────╮
      │ Soup · offline asks                                                          │
      │ │ run: touch x                                                               │
      │                                                                              │
      │ [a Allow once] [s For this session] [d Deny]                                 │
      ╰─ a, s or d, then Enter · Esc later ──────────────────────────────────────────╯"
    `)
    expect(isThere(ground)).toBe(false)
  })

  it('is allowed once with a', async () => {
    const ground = await asking()
    await ask(ground)
    ground.press('a', 'Enter')
    await gone(ground)
    await until('the file', () => isThere(ground))
    await ground.screen('Esc looks back')
    await ask(ground, 'run touch y')
    expect(isThere(ground, 'y')).toBe(false)
  })

  it('is allowed for this session with s: the next is not asked', async () => {
    const ground = await asking()
    await ask(ground)
    ground.press('s', 'Enter')
    await until('the file', () => isThere(ground))
    await ground.screen('Esc looks back')
    ground.press('run touch y', 'Enter')
    await until('the file', () => isThere(ground, 'y'))
  })

  it('is denied with d', async () => {
    const ground = await asking()
    await ask(ground)
    ground.press('d', 'Enter')
    await gone(ground)
    await ground.screen('Esc looks back')
    expect(isThere(ground)).toBe(false)
  })

  it('is answered with the mouse', async () => {
    const ground = await asking()
    await ask(ground)
    await ground.click('[a Allow once]')
    await until('the file', () => isThere(ground))
  })

  it('is never answered with Enter alone', async () => {
    const ground = await asking()
    await ask(ground)
    ground.press('Enter', 'Enter')
    await ground.screen('a, s or d, then Enter')
    expect(isThere(ground)).toBe(false)
    expect(await ground.bough.permissions()).toHaveLength(1)
  })

  it('is never answered by somebody who writes a word, whatever it begins with: they get all of its letters', async () => {
    for (const word of ['das', 'and so on', '/run Say: x', 'yes']) {
      const ground = await asking()
      await ask(ground)
      ground.press(...word)
      await ground.screen('F8 to answer')
      await until('the word', () => ground.app.tab.composer.text === word)
      ground.press('Ctrl+C')
      expect(isThere(ground)).toBe(false)
    }
  })

  it('is left for later with Esc: it stays in the queue and in the status, and F8 brings it back', async () => {
    const ground = await asking()
    await ask(ground)
    ground.press('Esc')
    await gone(ground)
    await ground.screen('1 asked F8')
    ground.press('F8')
    await ground.screen('What agents ask')
    ground.press('Enter')
    await ground.screen('An agent asks')
    ground.press('a', 'Enter')
    await until('the file', () => isThere(ground))
    await until('the count to go', async () => !(await ground.screen()).includes('asked F8'))
  })

  it('shows all of a command, every character of it, and scrolls', async () => {
    const ground = await asking({ columns: 40, rows: 16 })
    const long = `echo ${'word  '.repeat(120)}; rm -rf x`
    await ask(ground, `run ${long}`)
    await ground.screen(/↓ \d+ more below: read them, too/)
    let read = ''
    for (let i = 0; i < 60; i++) {
      const lines = (await ground.screen()).split('\n')
      const shown = lines.flatMap((line) => /│ │ (.*) │$/.exec(line)?.[1] ?? [])
      read = read === '' ? shown.join('') : read + (shown.at(-1) ?? '')
      if (lines.some((line) => /↑ \d+ more above/.test(line))) break
      const before = shown.join()
      ground.press('Down')
      await until('it to scroll', async () => {
        const now = (await ground.screen()).split('\n').flatMap((line) => /│ │ (.*) │$/.exec(line)?.[1] ?? [])
        return now.join() !== before || /↑ \d+ more above/.test(await ground.screen())
      })
    }
    expect(read.trimEnd()).toBe(`run: ${long}`)
  })

  it('hides nothing: what drives a terminal is shown as symbols', async () => {
    const ground = await asking()
    await ask(ground, 'run echo \u001b[8mhidden\u202e')
    await ground.screen('echo ␛[8mhidden\\u{202e}')
  })

  it('answered elsewhere closes', async () => {
    const ground = await asking()
    await ask(ground)
    const [permission] = await ground.bough.permissions()
    if (permission) await ground.bough.answer(permission.id, { allow: true })
    await gone(ground)
    await until('the file', () => isThere(ground))
  })

  it('goes with the turn that asked, when that is interrupted', async () => {
    const ground = await asking()
    await ask(ground)
    await ground.bough.abort(ground.session.id)
    await gone(ground)
    await ground.screen('Esc looks back')
  })

  it('comes one after the other, where an agent asks twice at once', async () => {
    const said: boolean[] = []
    const agent = new ScriptedAgent('double', async function* (_prompt, _signal, ask) {
      said.push(...(await Promise.all([ask(), ask()])))
      yield* says('Done.')
    })
    const ground = await asking({ drivers: [agent.driver] })
    agent.directory = ground.directory
    const session = await ground.bough.create({
      agent: 'double',
      directory: ground.directory,
      title: 'Twice',
    })
    await ground.app.openTab(session)
    await ask(ground, 'go')
    await ground.screen('2 asked F8')
    ground.press('a', 'Enter')
    await ground.screen(/An agent asks[\s\S]*1 asked F8/)
    // Pressed twice by mistake: too soon for the second.
    ground.press('a')
    await ground.screen('F8 to answer')
    ground.press('F8', 'd', 'Enter')
    await ground.screen('Done.')
    expect(said.toSorted()).toEqual([false, true])
  })
})

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

  it('is told to be empty', async () => {
    const ground = await asking()
    await ground.screen('Esc looks back')
    ground.press('F8')
    await ground.screen('No agent asks for anything.')
  })
})
