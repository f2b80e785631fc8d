import { describe, expect, it } from 'vitest'
import { commitAll, put } from '../../workspace/testing/ground.ts'
import { across } from '../testing/across.ts'
import { openTui } from '../testing/ground.ts'
import { files, made, mock, opened } from './testing/dialog-ground.ts'

describe('the context of a fork', () => {
  it('forks for another agent by a seed, says why, and tells when the conversation is in', async () => {
    const gate = Promise.withResolvers<void>()
    const { agent, driver } = mock(undefined, gate.promise)
    const ground = await openTui({ files, prompts: ['Say: tomato'], drivers: [driver] })
    const { press, screen, bough, session } = ground
    expect(await opened(ground)).toContain('Native: offline itself begins at that point.')
    press('Shift+Tab', 'Shift+Tab', 'Shift+Tab', 'Right')
    await screen('‹ mock ›')
    expect(await screen('Seeded: the conversation is handed over')).toMatch(
      across('The conversation before was with offline.'),
    )
    press('Enter')
    expect(await screen('handing over the conversation …')).not.toContain(made)
    gate.resolve()
    const shown = await screen(made)
    expect(shown).not.toContain('Ready.')
    expect(shown).not.toContain('handing over the conversation …')
    expect(await bough.children(session.id)).toMatchObject([{ agent: 'mock' }])
    expect(agent.told[0]).toContain('Say: tomato')
  })

  it.each([
    ['It cannot be used', { installed: false, detail: 'not installed', fix: 'npm install it' }],
    ['It may not be ready', { installed: true, detail: 'no sign of a login', fix: 'mock login' }],
    ['It cannot be used', { installed: true, certain: true, detail: 'not signed in', fix: 'mock login' }],
  ])('says of an agent what it lacks, and how sure that is: %s, %o', async (words, found) => {
    const { driver } = mock()
    const lacking = { ...found, ready: false }
    const ground = await openTui({
      files,
      prompts: ['Say: tomato'],
      drivers: [{ ...driver, check: async () => lacking }],
    })
    await opened(ground)
    ground.press('Shift+Tab', 'Shift+Tab', 'Shift+Tab', 'Right')
    expect(await ground.screen('‹ mock ›')).toContain(`${words}: ${found.detail} (${found.fix})`)
  })

  it('tells of a seed that failed', async () => {
    const { agent, driver } = mock()
    agent.script = async function* () {
      yield { type: 'error', message: 'The stove is cold' }
    }
    const ground = await openTui({ files, prompts: ['Say: tomato'], drivers: [driver] })
    await opened(ground)
    ground.press('Shift+Tab', 'Shift+Tab', 'Shift+Tab', 'Right')
    await ground.screen('Seeded:')
    ground.press('Enter')
    await ground.screen('could not be handed over yet')
    expect(await ground.screen('The stove is cold')).not.toContain(made)
  })

  it('warns from 80 % of the window on, and strongly from 100 %', async () => {
    const { window, driver } = mock()
    const ground = await openTui({ files, prompts: [`Say: ${'a'.repeat(20_000)}`], drivers: [driver] })
    const { press, screen, bough, session } = ground
    const { tokens } = await bough.status(session.id)
    expect(await opened(ground)).not.toContain('context window')
    window.tokens = Math.ceil(tokens / 0.7)
    press('Shift+Tab', 'Shift+Tab', 'Shift+Tab', 'Right')
    await screen('Seeded:')
    expect(await screen(/█+░+ .*tokens, 7[0-2] %/)).not.toContain('does not fit')
    press('Right')
    await screen('‹ offline ›')
    await screen('no limit')
    window.tokens = Math.floor(tokens / 0.85)
    press('Right')
    await screen(/tokens, 8[5-9] %/)
    window.tokens = Math.floor(tokens / 1.5)
    press('Tab', 'x')
    await screen(across('The conversation does not fit: it would take'))
    await screen(/█░+ .*tokens, \d %, cut from 5/)
  })

  it('warns of a native fork, too', async () => {
    const { window, driver } = mock()
    const ground = await openTui({ files, drivers: [driver] })
    const { press, screen, bough, app, turn, directory } = ground
    const session = await bough.create({ agent: 'mock', title: 'Stew', directory })
    await turn('a'.repeat(4000), session.id)
    const { tokens } = await bough.status(session.id)
    await app.openTab(session)
    window.tokens = Math.floor(tokens / 0.85)
    press('Alt+Shift+F')
    expect(await screen(across('there is little room left to work in'))).toContain('Native: mock itself')
    press('Esc')
    window.tokens = tokens
    press('Alt+Shift+F')
    await screen(across("does not fit: it would take about 100 % of mock's context window."))
  })

  it('does not fork over a warning that nobody has read, and else waits with that until all is known', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
    let gate = Promise.resolve()
    const { driver } = mock()
    const slow = { ...driver, contextWindow: () => gate.then(() => 200_000) }
    const ground = await openTui({ files, drivers: [slow] })
    const { press, screen, bough, app, turn, directory } = ground
    const session = await bough.create({ agent: 'mock', title: 'Stew', directory })
    await turn('hello', session.id)
    put(directory, { 'salt.txt': 'much\n' })
    await app.openTab(session)
    await screen('heard: hello')
    gate = gates[0].promise
    press('Alt+Shift+F')
    await screen('Looking …')
    press('Enter')
    gates[0].resolve()
    await screen(across('1 file is not committed. Commit first to be safe'))
    await screen('Enter forks')
    expect(await bough.children(session.id)).toEqual([])
    press('Esc')
    commitAll(directory)
    gate = gates[1].promise
    press('Alt+Shift+F')
    await screen('Looking …')
    press('Enter')
    gates[1].resolve()
    await screen(made)
    expect(await bough.children(session.id)).toHaveLength(1)
  })
})
