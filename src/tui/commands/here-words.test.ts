import { expect, it } from 'vitest'
import { commands } from '../../cli/commands.ts'
import { across } from '../testing/across.ts'
import { openTui } from '../testing/ground.ts'
import { hereFor, hereWords } from './here-words.ts'
import { slashCommands } from './slash-commands.ts'

it('names the slash command instead of the command of the shell', () => {
  expect(hereWords('First take it back with "bough undo", or finish it with "bough undo --finish".')).toBe(
    'First take it back with /undo, or finish it with /undo finish.',
  )
  expect(hereWords('There is no session x. "bough ls" lists those there are.')).toBe(
    'There is no session x. /tree lists those there are.',
  )
})

it('leaves a command that there is only in the shell, and any other word', () => {
  for (const text of ['"bough doctor" says how.', 'bough undo', '"boughs undo"', 'A "bough" is thick.'])
    expect(hereWords(text)).toBe(text)
})

it('leaves out options of the shell', () => {
  expect(hereWords('Wait for its end, or fork into a worktree (--files worktree).')).toBe(
    'Wait for its end, or fork into a worktree.',
  )
})

it('names only slash commands that there are, for commands of the shell that there are', () => {
  for (const [shell, here] of hereFor) {
    expect(commands.map(({ name }) => `bough ${name}`)).toContain(shell.replace(/ --.*/, ''))
    expect(slashCommands.map(({ name }) => `/${name}`)).toContain(here.replace(/ .*/, ''))
  }
})

it('is what errors, notes and notices say', async () => {
  const { press, screen, bough, session, app } = await openTui({
    files: { 'soup.txt': 'water\n' },
    prompts: ['write soup.txt: tomato', 'write soup.txt: leek'],
  })
  await screen('Esc looks back')
  press('/compare nosuch', 'Enter')
  await screen(/\/tree lists/)
  const [, answer] = await bough.messages(session.id)
  const fork = await bough.fork(session.id, { ...(answer && { messageID: answer.id }), files: 'restore' })
  await app.openTab(fork)
  expect(await screen(across('1 file changed. /undo takes it back.'))).not.toContain('bough undo')
})
