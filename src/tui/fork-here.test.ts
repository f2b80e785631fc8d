import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commitAll, person, put } from '../workspace/testing/ground.ts'
import { madeUpSession, talk } from './backtrack/testing/made-up-session.ts'
import { across } from './testing/across.ts'
import { openTui } from './testing/ground.ts'

const prompts = ['Say: tomato', 'Say: leek', 'Say: pea']
const files = { 'soup.txt': 'water\n' }
const made = 'Fork created, context in, waiting for your prompt.'

describe('Enter in backtrack', () => {
  it('on an answer forks right after it, in a new tab; the old one is untouched', async () => {
    const { press, screen, bough, session, app } = await openTui({ prompts, files })
    await screen('Esc looks back')
    press('Esc', 'Up', 'Up')
    await screen(/╭─ agent · 4 ─/)
    press('Enter')
    expect(await screen(made)).not.toContain('Say: pea')
    const [fork] = await bough.children(session.id)
    const line = await bough.messages(session.id)
    expect(fork).toMatchObject({ forkPoint: line[3]?.id, kind: 'branch', directory: session.directory })
    expect(app.tabs.map((tab) => tab.session.id)).toEqual([session.id, fork?.id])
    expect(app.tab.composer.text).toBe('')
    press('Ctrl+PgUp')
    expect(await screen('Say: pea')).not.toContain('BACKTRACK')
    expect(await bough.messages(session.id)).toEqual(line)
  })

  it('on one of your own messages forks right before it, its text in the composer', async () => {
    const { press, screen, bough, session, app } = await openTui({ prompts, files })
    await screen('Esc looks back')
    press('Esc', 'u', 'u')
    await screen(/╭─ you · 3 ─/)
    press('Enter')
    await screen(made)
    const [fork] = await bough.children(session.id)
    const line = await bough.messages(session.id)
    expect(fork?.forkPoint).toBe(line[1]?.id)
    expect(app.tab.composer.text).toBe('Say: leek')
    press('s and carrot', 'Enter')
    await screen('You just told me: “Say: leeks and carrot”')
  })

  it('on the very first message begins at nothing', async () => {
    const { press, screen, bough, session, app } = await openTui({ prompts, files })
    await screen('Esc looks back')
    press('Esc', 'Home')
    await screen(/╭─ you · 1 ─/)
    press('Enter')
    await screen(made)
    expect((await bough.children(session.id))[0]?.forkPoint).toBeNull()
    expect(app.tab.composer.text).toBe('Say: tomato')
  })

  it('makes one fork, however often it is pressed', async () => {
    const { press, screen, bough, session } = await openTui({ prompts, files })
    await screen('Esc looks back')
    press('Esc', 'Enter', 'Enter', 'Enter')
    await screen(made)
    expect(await bough.children(session.id)).toHaveLength(1)
  })

  it('forks into a worktree where the files are others now, and all is committed', async () => {
    const { press, screen, bough, session, directory } = await openTui({
      prompts: ['write soup.txt: tomato', 'write soup.txt: leek'],
      files,
      rows: 40,
    })
    commitAll(directory)
    await screen('Esc looks back')
    press('Esc', 'u')
    await screen(/╭─ you · 5 ─/)
    press('Enter')
    await screen(made)
    const [fork] = await bough.children(session.id)
    expect(fork?.workspaceID).not.toBeNull()
    expect(await screen(across('The fork has a worktree of its own'))).toContain('write soup.txt: leek')
  })

  it('opens the dialog instead where dirty files would stay behind', async () => {
    const { press, screen, bough, session } = await openTui({
      prompts: ['write soup.txt: tomato', 'write soup.txt: leek'],
      files,
    })
    await screen('Esc looks back')
    press('Esc', 'u', 'Enter')
    await screen('1 file is not committed')
    expect(await screen('Fork session')).toContain('right before message 5: “write soup.txt: leek”')
    expect(await bough.children(session.id)).toEqual([])
    press('Esc')
    await screen('BACKTRACK MODE')
  })

  it('leaves everything as it was when it fails, and shows the error', async () => {
    const { press, screen, bough, session, home, directory, app } = await openTui({ prompts, files })
    put(directory, { 'soup.txt': 'salt\n' })
    commitAll(directory)
    // Nobody can make a directory there.
    writeFileSync(join(home.data, 'worktrees'), '')
    await screen('Esc looks back')
    press('Esc', 'Up', 'Up')
    await screen(/╭─ agent · 4 ─/)
    press('Enter')
    await screen('The fork failed')
    await screen(/EEXIST|ENOTDIR/)
    press('Esc')
    expect(await screen('Enter fork here')).toMatch(/╭─ agent · 4 ─/)
    expect(app.tabs).toHaveLength(1)
    expect(await bough.children(session.id)).toEqual([])
    expect(person(directory, 'branch', '--list', 'bough/*')).toBe('')
  })

  it('says so when the session is gone, and stays', async () => {
    const { press, screen, bough, session, app } = await openTui({ prompts })
    await screen('Esc looks back')
    press('Esc')
    await screen('BACKTRACK')
    await bough.remove(session.id)
    press('Enter')
    await screen('The fork failed')
    await screen(session.id)
    press('Esc')
    await screen('BACKTRACK')
    expect(app.tabs).toHaveLength(1)
    expect(app.tab.backtrack.on).toBe(true)
  })

  it('shows an error dialog when a turn has begun meanwhile, elsewhere', async () => {
    const { press, screen, bough, session, agent, app } = await openTui({ prompts })
    await screen('Esc looks back')
    press('Esc')
    await screen('Enter fork here')
    const turn = await bough.send(session.id, 'sleep 1')
    await agent.held(1)
    await screen('a turn runs: no fork now')
    for (const key of ['Enter', 'f']) {
      press(key)
      expect(await screen('A turn is running in this session.')).not.toContain('Fork session')
      press('Esc')
    }
    agent.release(1)
    await turn.ended
    await screen('Enter fork here')
    press('Enter')
    await screen(made)
    expect(app.tabs).toHaveLength(2)
  })

  it('shows what the set-up of the worktree prints, and Esc gives it up: nothing of it stays', async () => {
    const { press, screen, bough, session, directory, home, app } = await openTui({
      prompts: ['write soup.txt: tomato', 'write soup.txt: leek'],
      files,
      config: {
        worktree: { setup: 'echo cutting onions; printf "10%%\\r50%%\\r90%%"; exec tail -f /dev/null' },
      },
    })
    commitAll(directory)
    await screen('Esc looks back')
    press('Esc', 'u', 'Enter')
    await screen('cutting onions')
    expect(await screen('90%')).not.toContain('50%')
    press('Enter', 'x', 'Esc')
    await screen('Given up: no fork was made.')
    expect(await bough.children(session.id)).toEqual([])
    expect(app.tabs).toHaveLength(1)
    expect(await screen()).toContain('BACKTRACK MODE')
    expect(person(directory, 'worktree', 'list').trim().split('\n')).toHaveLength(1)
    expect(existsSync(join(home.data, 'worktrees'))).toBe(true)
  })

  it('does not fork the wrong message while the one that was asked for is still being loaded', async () => {
    const { press, screen, bough, app, directory } = await openTui({ rows: 12 })
    const long = await madeUpSession(bough, directory, talk(1001))
    await app.openTab(long)
    await screen('words 1001')
    press('Esc', 'Home', 'Enter')
    await screen(/╭─ you · 1 ─/)
    expect(await bough.children(long.id)).toEqual([])
    press('Enter')
    await screen(made)
    expect(await bough.children(long.id)).toMatchObject([{ forkPoint: null }])
    expect(app.tab.composer.text).toBe('words 1')
  })
})
