import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { person } from '../../workspace/testing/ground.ts'
import { across } from '../testing/across.ts'
import { openTui } from '../testing/ground.ts'
import { files, made, opened, twoSoups } from './testing/dialog-ground.ts'

describe('forking with the dialog', () => {
  it('forks with Enter into a worktree with the files as they were at that message', async () => {
    const ground = await openTui({ files, prompts: twoSoups })
    const { press, screen, bough, session, app, directory } = ground
    await screen('Esc looks back')
    press('Esc', 'u', 'f')
    await screen('● New worktree, files as at that message')
    press('Enter')
    await screen(made)
    const [fork] = await bough.children(session.id)
    expect(app.tab.session).toMatchObject({ id: fork?.id, directory: fork?.directory })
    expect(fork?.directory).not.toBe(directory)
    expect(readFileSync(join(fork?.directory ?? '', 'soup.txt'), 'utf8')).toBe('tomato\n')
    expect(readFileSync(join(directory, 'soup.txt'), 'utf8')).toBe('leek\n')
    expect(app.tab.composer.text).toBe('write soup.txt: leek')
  })

  it('forks from the last commit, and says what stays behind', async () => {
    const ground = await openTui({ files, prompts: twoSoups })
    const { press, screen, bough, session } = ground
    await opened(ground)
    press('Down')
    await screen(across('1 file that is not committed stays behind. Commit first if the fork is to have it.'))
    press('Enter')
    await screen(made)
    const [fork] = await bough.children(session.id)
    expect(readFileSync(join(fork?.directory ?? '', 'soup.txt'), 'utf8')).toBe('water\n')
  })

  it('says what becomes of files that are not committed, whatever is chosen', async () => {
    const ground = await openTui({ files, prompts: twoSoups, rows: 40 })
    const { press, screen, directory } = ground
    await opened(ground)
    await screen(
      across('1 file is not committed. Commit first to be safe; what becomes of it otherwise is said below.'),
    )
    const copied = 'Uncommitted files are copied to the fork and stay here.'
    await screen(/Its branch begins at commit \w{8}/)
    await screen(across(copied))
    press('3')
    await screen(across('work on the same files, those not committed included.'))
    press('4')
    await screen(across('The files are as they were then: nothing would change.'))
    press('Esc')
    writeFileSync(join(directory, 'pan.txt'), '')
    writeFileSync(join(directory, 'pot.txt'), '')
    press('Alt+Shift+F')
    await screen(across('3 files are not committed.'))
    await screen(across(copied))
    press('2')
    await screen(across('3 files that are not committed stay behind.'))
    press('4')
    await screen(
      across(
        '2 files would change here. It asks once more, and /undo takes it back. What is not committed is saved first.',
      ),
    )
  })

  it('forks in the same directory', async () => {
    const ground = await openTui({ files, prompts: twoSoups })
    const { press, screen, bough, session, directory } = ground
    await opened(ground)
    press('3')
    await screen('● Same directory')
    press('Enter')
    await screen(made)
    expect(await bough.children(session.id)).toMatchObject([{ directory, workspaceID: null }])
  })

  it('restores here only after it has listed what would change and asked once more; /undo takes it back', async () => {
    const ground = await openTui({ files, prompts: [...twoSoups, 'write salt.txt: much'] })
    const { press, screen, bough, session, directory, app } = ground
    const soup = () => readFileSync(join(directory, 'soup.txt'), 'utf8')
    await screen('Esc looks back')
    press('Esc', 'u', 'u', 'f')
    await screen('Enter forks')
    press('4')
    await screen(across('2 files would change here. It asks once more, and /undo takes it back.'))
    press('Enter')
    const asked = await screen('Restore and fork')
    expect(asked).toContain('~ soup.txt')
    expect(asked).toContain('- salt.txt')
    expect(asked).toMatch(across('They are saved first: /undo takes it back.'))
    press('Esc')
    await screen('Enter forks')
    expect(soup()).toBe('leek\n')
    press('Enter')
    await screen('Restore and fork')
    press('Enter')
    await screen(made)
    expect(soup()).toBe('tomato\n')
    expect(app.tab.composer.text).toBe('write soup.txt: leek')
    expect(await bough.children(session.id)).toMatchObject([{ directory }])

    press('Ctrl+C')
    await screen('Esc looks back')
    press('/undo', 'Enter')
    const back = await screen('Take it back')
    expect(back).toContain('~ soup.txt')
    expect(back).toContain('+ salt.txt')
    press('Esc')
    await screen('Esc looks back')
    expect(soup()).toBe('tomato\n')
    press('Ctrl+P', 'Take back the last', 'Enter')
    await screen('[ Take it back ]')
    press('Enter')
    await screen('Taken back: 2 files changed')
    expect(soup()).toBe('leek\n')
    press('/undo', 'Enter')
    await screen(across('so there is nothing to undo.'))
  })

  it('has nothing to finish where no restore was cut off', async () => {
    const { press, screen } = await openTui({ files, prompts: twoSoups })
    await screen('Esc looks back')
    press('/undo finish', 'Enter')
    await screen(across('so there is none to finish.'))
  })

  it('lists everything that a restore would change, however much it is', async () => {
    const ground = await openTui({ files, prompts: ['run for i in $(seq 10 69); do touch pea$i; done'] })
    const { press, screen } = ground
    await screen('Esc looks back')
    press('Esc', 'u', 'f')
    await screen('Enter forks')
    press('4')
    await screen('● Restore here')
    await screen('Enter forks')
    press('Enter')
    expect(await screen(/… \d+ more below/)).toContain('- pea10')
    press('End')
    expect(await screen('- pea69')).not.toContain('more below')
    press('Home')
    await screen('- pea10')
  })

  it('leaves everything as it was when the fork fails, and shows the error in the dialog', async () => {
    const ground = await openTui({ files, prompts: twoSoups })
    const { press, screen, bough, session, home, directory, app } = ground
    await opened(ground)
    writeFileSync(join(home.data, 'worktrees'), '')
    press('Enter')
    await screen(/EEXIST|ENOTDIR/)
    expect(await screen('Fork session')).toContain('● New worktree')
    expect(app.tabs).toHaveLength(1)
    expect(await bough.children(session.id)).toEqual([])
    expect(person(directory, 'branch', '--list', 'bough/*')).toBe('')
    rmSync(join(home.data, 'worktrees'))
    press('Enter')
    await screen(made)
  })

  it('shows the set-up of the worktree, and can be given up', async () => {
    const ground = await openTui({
      files,
      prompts: ['Say: tomato'],
      config: { worktree: { setup: 'echo peeling; exec tail -f /dev/null' } },
    })
    const { press, screen, bough, session } = ground
    await opened(ground)
    press('Enter')
    await screen('peeling')
    press('Esc')
    await screen('Given up: no fork was made.')
    await screen('Enter forks')
    expect(await bough.children(session.id)).toEqual([])
    press('Esc')
    expect(await screen('Esc looks back')).not.toContain('Fork session')
  })

  it.each(['3', '4'])('can be given up with any choice, as long as nothing is made: %s', async (choice) => {
    const gate = Promise.withResolvers<void>()
    const ground = await openTui({
      files,
      prompts: twoSoups,
      seen: (each) => ({
        ...each,
        fork: async (...given) => {
          await gate.promise
          return each.fork(...given)
        },
      }),
    })
    const { press, screen, bough, session, directory } = ground
    await screen('Esc looks back')
    press('Esc', 'u', 'f')
    await screen('Enter forks')
    press(choice)
    await screen(choice === '3' ? '● Same directory' : '● Restore here')
    await screen('Enter forks')
    press('Enter')
    if (choice === '4') {
      await screen('[ Restore and fork ]')
      press('Enter')
    }
    await screen('Making the fork …')
    press('Esc')
    await screen('Giving it up, unless it is too late …')
    gate.resolve()
    await screen('Given up: no fork was made.')
    expect(await bough.children(session.id)).toEqual([])
    expect(readFileSync(join(directory, 'soup.txt'), 'utf8')).toBe('leek\n')
  })

  it('says so when it was too late to give it up', async () => {
    const gate = Promise.withResolvers<void>()
    const ground = await openTui({
      files,
      prompts: twoSoups,
      seen: (each) => ({
        ...each,
        fork: async (...given) => {
          const forked = await each.fork(...given)
          await gate.promise
          return forked
        },
      }),
    })
    const { press, screen, bough, session } = ground
    await opened(ground)
    press('3')
    await screen('● Same directory')
    press('Enter')
    await screen('Making the fork …')
    press('Esc')
    await screen('Giving it up, unless it is too late …')
    gate.resolve()
    expect(await screen('It was too late to give it up: the fork is made.')).toContain(made)
    expect(await bough.children(session.id)).toHaveLength(1)
  })

  it('says so when the session is deleted meanwhile', async () => {
    const ground = await openTui({ files, prompts: ['Say: tomato'] })
    await opened(ground)
    await ground.bough.remove(ground.session.id)
    await ground.screen(/There is no session|is deleted|was deleted/)
    ground.press('Enter')
    expect(ground.app.tabs).toHaveLength(1)
  })

  it('says in the dialog that another session has a turn running there, and restores nothing', async () => {
    const ground = await openTui({ files, prompts: twoSoups })
    const { press, screen, bough, session, agent, directory } = ground
    const other = await bough.create({ title: 'Beside', directory })
    await screen('Esc looks back')
    press('Esc', 'u', 'f')
    await screen('Enter forks')
    press('4')
    await screen('● Restore here')
    await screen('Enter forks')
    const turn = await bough.send(other.id, 'sleep 1')
    await agent.held(1)
    press('Enter')
    await screen('[ Restore and fork ]')
    press('Enter')
    await screen(/turn is running|turn runs/)
    await screen('Fork session')
    expect(readFileSync(join(directory, 'soup.txt'), 'utf8')).toBe('leek\n')
    expect(await bough.children(session.id)).toEqual([])
    agent.release(1)
    await turn.ended
  })
})
