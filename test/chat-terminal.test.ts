import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createWorld, launcher, type World } from './support/run-bough.ts'
import { Tmux } from './support/tmux.ts'

let world: World
let terminal: Tmux
const open = (args = ''): void => {
  terminal = Tmux.start(`'${process.execPath}' '${launcher}' ${args}`, { cwd: world.project, env: world.env })
}

beforeEach(() => {
  world = createWorld()
})
afterEach(() => terminal.close())

describe('bough chat, in a terminal', () => {
  it('talks in the demo, where one can send, branch, look at the tree, go elsewhere and quit', async () => {
    const root = /bough log (\w{6})/.exec(await world.ok('demo'))?.[1]
    open(`chat ${root}`)
    await terminal.shows(/Plan the Friday dinner \w{6}> $/m)

    terminal.type('And a cheese plate?')
    const answered = await terminal.shows(/turn 5 on this line.*· agent \w{6}\n.*> $/ms)
    const you = /· you (\w{6})/.exec(answered)?.[1]

    terminal.type(`/branch ${you}`)
    await terminal.shows(/^Fork of Plan the Friday dinner \w{6}> $/m)
    terminal.type('Or grapes?')
    const forked = await terminal.shows(/^Or grapes\? \w{6}> $/m)
    expect(forked).toMatch(/turn 6 on this line/)
    expect(forked).toMatch(/5\. “And a cheese plate\?”/)

    terminal.type('/tree')
    await terminal.shows(/└─ ● Or grapes\? {2}\w{6} · offline · 2 messages · now/)

    terminal.type(`/open ${root}`)
    await terminal.shows(new RegExp(`/open ${root}\n.*^Plan the Friday dinner ${root}> $`, 'ms'))

    terminal.type('/quit')
    await terminal.shows('ended with 0')
  })
})

describe('a chat in a terminal', () => {
  it('takes a paste of several lines as one prompt, sent with Enter', async () => {
    open('chat')
    await terminal.shows(/New session \w{6}> $/m)
    terminal.paste('/first line\nsecond line\n')
    await terminal.shows('second line')
    terminal.press('Enter')
    await terminal.shows(/turn 1 on this line.*“\/first line second line”/s)
    expect(await world.json('ls')).toMatchObject([{ messages: 2 }])
  })

  it('asks for a permission, and does what the person says', async () => {
    open('chat')
    await terminal.shows(/New session \w{6}> $/m)
    terminal.type('run touch denied.txt')
    await terminal.shows('The agent asks to run: touch denied.txt')
    terminal.type('perhaps')
    await terminal.shows(/Allow it\?.*Allow it\?/s)
    terminal.type('n')
    await terminal.shows(/denied.*\n· agent/)
    terminal.type('run touch first.txt')
    await terminal.shows('The agent asks to run: touch first.txt')
    terminal.type('every')
    await terminal.shows(/run “touch first.txt”: done/)
    terminal.type('run touch second.txt')
    await terminal.shows(/run “touch second.txt”: done/)
    expect(
      ['denied', 'first', 'second'].map((name) => existsSync(join(world.project, `${name}.txt`))),
    ).toEqual([false, true, true])
  })

  it('takes an answer from elsewhere', async () => {
    open('chat')
    await terminal.shows(/New session \w{6}> $/m)
    terminal.type('run touch made.txt')
    await terminal.shows('Allow it?')
    await world.ok('approve', (await world.ok('approve')).slice(0, 6))
    await terminal.shows('Answered elsewhere.')
    await terminal.shows(/run “touch made.txt”: done/)
    terminal.type('still here')
    await terminal.shows('“still here”')
  })

  it('interrupts a turn on Ctrl-C, says at the prompt how to quit, and quits on Ctrl-D', async () => {
    open('chat')
    await terminal.shows(/New session \w{6}> $/m)
    terminal.type('sleep 60')
    await terminal.shows(/the agent works \d+ s/)
    terminal.press('C-c')
    await terminal.shows('The turn was interrupted')
    await terminal.shows(/sleep 60 \w{6}> $/m)
    terminal.type('run sleep 60')
    await terminal.shows('Allow it?')
    terminal.press('C-c')
    await terminal.shows(/The turn was interrupted.*The turn was interrupted.*> $/ms)
    terminal.press('C-c')
    await terminal.shows('To quit: /quit or Ctrl-D.')
    terminal.press('C-d')
    await terminal.shows('ended with 0')
  })

  it('sends what was typed while a turn ran, after it', async () => {
    open('chat')
    await terminal.shows(/New session \w{6}> $/m)
    terminal.type('sleep 2')
    await terminal.shows(/the agent works \d+ s/)
    terminal.type('typed ahead')
    await terminal.shows('You just told me: “typed ahead”')
  })

  it('shows what another process said there before the next prompt', async () => {
    open('chat')
    const screen = await terminal.shows(/New session \w{6}> $/m)
    const id = /New session (\w{6})> /.exec(screen)?.[1] ?? ''
    await world.ok('send', id, 'from elsewhere')
    terminal.press('Enter')
    await terminal.shows(/you \w{6} · now\nfrom elsewhere/)
    await terminal.shows(/from elsewhere \w{6}> $/m)
  })
})

describe('bough send, in a terminal', () => {
  it('asks for a permission', async () => {
    const id = (await world.ok('new')).trim()
    open(`send ${id} 'run echo it ran'`)
    await terminal.shows('The agent asks to run: echo it ran')
    terminal.type('y')
    await terminal.shows('ended with 0')
    expect(terminal.screen()).toContain('← it ran')
  })
})
