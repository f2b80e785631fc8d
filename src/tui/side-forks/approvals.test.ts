import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { ScriptedAgent, says } from '../../../test/support/scripted-agent.ts'
import { until } from '../../../test/support/until.ts'
import { ask, asking, gone, isThere } from './testing/asking.ts'

describe('an approval', () => {
  it('opens above the composer with what would run, who asks, and the three answers: why it is asked stays readable', async () => {
    const ground = await asking({ prompts: ['Say: salt the soup first, then taste it'] })
    await ask(ground)
    expect(await ground.screen('Esc later')).toContain('salt the soup first, then taste it')
    expect((await ground.screen('Esc later')).split('\n').slice(9, 24).join('\n')).toMatchInlineSnapshot(`
      "
        ▸ run touch x                                                               …



      ╭─ An agent asks: Soup · offline ──────────────────────────────────────────────╮
      │ │ run: touch x                                                               │
      │ [a Allow once] [d Deny] [s Allow this exact command this session]            │
      │ [l Allow this exact command always] [e Allow every command this session]     │
      ╰─ a, d, s, l or e, then Enter · Esc later ────────────────────────────────────╯
       ● working
      ────────────────────────────────────────────────────────────────────────────────

      ────────────────────────────────────────────────────────────────────────────────
       offline · kitchen · 74 tokens · 1 asked                      Esc answers later"
    `)
    expect(isThere(ground)).toBe(false)
  })

  it('leaves keys to what the person opens in the moment before it comes up, and comes up after that', async () => {
    const ground = await asking({
      seen: (bough) => ({
        ...bough,
        permissions: async () => {
          const found = await bough.permissions()
          // It is known, and its dialog is being loaded.
          if (found.length > 0 && ground.app.permissions.length === 0)
            process.nextTick(() => ground.press('Ctrl+P'))
          return found
        },
      }),
    })
    await ground.screen('Esc looks back')
    ground.press('run touch x', 'Enter')
    await ground.screen('1 asked')
    ground.clock.now += 1000
    ground.press('d')
    await ground.screen('> d')
    ground.press('Esc')
    await ground.screen('An agent asks')
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

  it('is allowed for this session with s: the same command is not asked again, another one is', async () => {
    const ground = await asking()
    await ask(ground)
    ground.press('s', 'Enter')
    await until('the file', () => isThere(ground))
    await ground.screen('Esc looks back')
    ground.press('run touch x', 'Enter')
    await ground.screen(/run touch x[\s\S]*run touch x[\s\S]*Esc looks back/)
    await ask(ground, 'run touch y')
    expect(isThere(ground, 'y')).toBe(false)
  })

  it('is allowed for all that the tool does with e: the next command is not asked', async () => {
    const ground = await asking()
    await ask(ground)
    ground.press('e', 'Enter')
    await until('the file', () => isThere(ground))
    await ground.screen('Esc looks back')
    ground.press('run touch y', 'Enter')
    await until('the file', () => isThere(ground, 'y'))
  })

  it('is allowed always with l: the rule is in the configuration', async () => {
    const ground = await asking()
    await ask(ground, 'run npm test')
    await ground.screen('[l Allow npm test … always]')
    ground.press('l', 'Enter')
    await gone(ground)
    await until('the rule', async () =>
      (await readFile(ground.home.config, 'utf8')).includes('run(npm test *)'),
    )
  })

  it('offers no wider answer for a shell, and its keys are letters of a word then', async () => {
    const ground = await asking({ columns: 40 })
    await ask(ground, "run sh -c 'touch x'")
    expect(await ground.screen('a or d, then Enter')).not.toContain('this session')
    ground.press('s')
    await ground.screen(/\ns\s*\n/)
  })

  it('can be answered at 40 columns, where a button that is cut off names what it allows above', async () => {
    const ground = await asking({ columns: 40, rows: 30 })
    const path = `/nowhere/${'deep/'.repeat(8)}x`
    await ask(ground, `read ${path}`)
    const screen = (await ground.screen('[a Allow once] [d Deny]')).replace(/[\s│]/g, '')
    expect(screen).toContain(`[sAllowreadin/nowhere/${'deep/'.repeat(8).slice(0, -1)}thissession]`)
    ground.press('d', 'Enter')
    await gone(ground)
  })

  it('is denied with d', async () => {
    const ground = await asking()
    await ask(ground)
    ground.press('d', 'Enter')
    await gone(ground)
    await ground.screen('Esc looks back')
    expect(isThere(ground)).toBe(false)
  })

  it('is answered with the mouse: a click chooses, a second one on the same answer gives it', async () => {
    const ground = await asking()
    await ask(ground)
    await ground.click('[d Deny]')
    await ground.screen('Enter or a click on it: Deny')
    await ground.click('[a Allow once]')
    await ground.screen('Enter or a click on it: Allow once')
    expect(await ground.bough.permissions()).toHaveLength(1)
    // Two clicks on one word within half a second are a double click, which selects it.
    await ground.click('once]')
    await until('the file', () => isThere(ground))
  })

  it('is chosen with the mouse and given with Enter', async () => {
    const ground = await asking()
    await ask(ground)
    await ground.click('[d Deny]')
    await ground.screen('Enter or a click on it: Deny')
    ground.press('Enter')
    await gone(ground)
    await ground.screen('Esc looks back')
    expect(isThere(ground)).toBe(false)
  })

  it('lets the conversation behind it scroll, with keys and the wheel', async () => {
    const ground = await asking({ prompts: Array.from({ length: 12 }, (_, i) => `Say: soup ${i}`) })
    await ask(ground)
    expect(await ground.screen('Esc later')).not.toContain('▌ Say: soup 9')
    ground.press('PgUp', 'PgUp')
    await ground.screen(/▌ Say: soup 9[\s\S]*An agent asks/)
    ground.press('PgDn', 'PgDn')
    await until('the end', async () => !(await ground.screen()).includes('▌ Say: soup 9'))
    ground.app.wheel(-24)
    await ground.screen(/▌ Say: soup 9[\s\S]*An agent asks/)
    ground.press('Ctrl+Home')
    await ground.screen(/▌ Say: soup 0[\s\S]*a, d, s, l or e, then Enter/)
    expect(await ground.bough.permissions()).toHaveLength(1)
  })

  it('is no taller than two fifths of the screen, however long the command is', async () => {
    for (const [columns, rows] of [
      [80, 24],
      [40, 24],
      [200, 50],
    ] as const) {
      const ground = await asking({ columns, rows })
      await ask(ground, `run echo ${'word '.repeat(1000)}`)
      const lines = (await ground.screen('more below')).split('\n')
      const [top, end] = ['╭', '╰'].map((edge) => lines.findIndex((line) => line.startsWith(edge)))
      expect((end ?? 0) - (top ?? 0) + 1).toBeLessThanOrEqual(rows * 0.4)
      expect(lines.slice(0, top).join()).toContain('▸ run echo')
    }
  })

  it('shows the answers on a screen of 8 rows', async () => {
    const ground = await asking({ columns: 40, rows: 8 })
    await ask(ground)
    await ground.screen(/run: touch x[\s\S]*\[d Deny\]/)
  })

  it('is shown where its session is: another tab has its own', async () => {
    const ground = await asking()
    await ask(ground)
    const [first] = ground.app.tabs
    await ground.app.openTab(await ground.bough.create({ title: 'Bread', directory: ground.directory }))
    await gone(ground)
    await ground.screen('1 asked F8')
    if (first) ground.app.showTab(first)
    await ground.screen('An agent asks: Soup')
  })

  it('that comes right after the prompt was sent can be answered at once', async () => {
    const ground = await asking()
    await ground.screen('Esc looks back')
    ground.press('run touch x', 'Enter')
    await ground.screen('a, d, s, l or e, then Enter')
    ground.clock.now += 600
    ground.press('a', 'Enter')
    await until('the file', () => isThere(ground))
  })

  it('is never answered with Enter alone', async () => {
    const ground = await asking()
    await ask(ground)
    ground.press('Enter', 'Enter')
    await ground.screen('a, d, s, l or e, then Enter')
    expect(isThere(ground)).toBe(false)
    expect(await ground.bough.permissions()).toHaveLength(1)
  })

  it('gives a paste, and letters as newer terminals send them, to the composer', async () => {
    for (const sent of ['\u001b[200~yes, please\u001b[201~', '\u001b[121u']) {
      const ground = await asking()
      await ask(ground)
      ground.press('F8', sent)
      const text = sent.includes('yes') ? 'yes, please' : 'y'
      await until('the words', () => ground.app.tab.composer.text === text)
      expect(await ground.screen('F8 to answer')).toContain('An agent asks')
    }
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
    await ground.screen('2 asked')
    ground.press('a', 'Enter')
    await ground.screen(/An agent asks[\s\S]*1 asked/)
    // Pressed twice by mistake: too soon for the second.
    ground.press('a')
    await ground.screen('F8 to answer')
    ground.press('F8', 'd', 'Enter')
    await ground.screen('Done.')
    expect(said.toSorted()).toEqual([false, true])
  })
})
