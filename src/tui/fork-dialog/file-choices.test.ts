import { rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commitAll, person } from '../../workspace/testing/ground.ts'
import { across } from '../testing/across.ts'
import { openTui } from '../testing/ground.ts'
import { files, made, opened, twoSoups } from './testing/dialog-ground.ts'

describe('what the fork dialog offers', () => {
  it('shows what is impossible with the reason, and does not let it be chosen: no git', async () => {
    const ground = await openTui({ prompts: ['Say: tomato'] })
    const { press, screen, click, bough, session } = ground
    const shown = await opened(ground)
    expect(shown).toContain('✗ New worktree, files as they are now: not possible')
    expect(shown).toMatch(across('not possible, this is no git project'))
    expect(shown).toContain('● Same directory')
    press('1', 'Left', 'Up')
    await screen('›Title')
    await click('New worktree from the last commit')
    await screen('● Same directory')
    press('Enter')
    await screen(made)
    expect(await bough.children(session.id)).toMatchObject([{ workspaceID: null }])
  })

  it('shows what is impossible: no commit', async () => {
    const ground = await openTui()
    person(ground.directory, 'init', '-q', '-b', 'main')
    await ground.turn('write soup.txt: tomato')
    expect(await opened(ground)).toMatch(across('nothing is committed here yet'))
    expect(await ground.screen()).toContain('● Same directory')
  })

  it('shows what is impossible: nothing was captured, or the directory is gone', async () => {
    const ground = await openTui({ files })
    const { press, screen, directory } = ground
    expect(await opened(ground)).toMatch(across('no files are kept up to that message'))
    expect(await screen()).toContain('the beginning: nothing was said yet')
    press('Esc')
    rmSync(directory, { recursive: true })
    press('Alt+Shift+F')
    await screen('kitchen, which is gone')
    await screen(across('Same directory, files as they are now: not possible, the directory is gone'))
  })

  it('shows that the files are of another project', async () => {
    const ground = await openTui({ prompts: twoSoups })
    const { press, screen, directory } = ground
    person(directory, 'init', '-q', '-b', 'main')
    commitAll(directory)
    expect(await opened(ground)).toMatch(across('the files of that message are of another project'))
    // What is here now can be had in a worktree all the same.
    await screen('● New worktree, files as they are now')
    press('Esc')
    await screen('Esc looks back')
    press('Esc', 'u', 'f')
    await screen(
      across('New worktree, files as at that message: not possible, the files of that message are of'),
    )
    await screen('● Same directory')
  })

  it('takes a title, a model and clicks', async () => {
    const ground = await openTui({ files, prompts: ['Say: tomato'] })
    const { press, screen, click, bough, session } = ground
    await opened(ground)
    await click('Title')
    press('Cold soup \u{1f963} 冷たいスープ')
    await click('Model')
    press('ladle-9')
    await click('Same directory')
    await screen('● Same directory')
    await click('[ Fork ]')
    await screen(made)
    expect(await bough.children(session.id)).toMatchObject([
      { title: 'Cold soup \u{1f963} 冷たいスープ', model: 'ladle-9' },
    ])
  })

  it('cuts a title that is too long for it, and never sends what it holds to the terminal', async () => {
    const ground = await openTui({ files, prompts: ['Say: tomato'], columns: 40 })
    const { press, screen, terminal } = ground
    await ground.bough.change(ground.session.id, { title: `\u001b]0;gotcha\u0007${'very '.repeat(60)}long` })
    await opened(ground)
    press('Shift+Tab', 'x'.repeat(300))
    const lines = (await screen('xxx')).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40)
    expect(terminal.written).not.toContain('gotcha\u0007')
  })
})
