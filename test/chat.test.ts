import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { commandRuns, endCommands, runUntilTold } from './support/commands.ts'
import { short } from './support/refused.ts'
import { createWorld, type World } from './support/run-bough.ts'
import { worlds } from './support/worlds.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})

const newSession = async (...options: string[]): Promise<string> => (await world.ok('new', ...options)).trim()
const lines = (...typed: string[]): { input: string } => ({ input: `${typed.join('\n')}\n` })

describe.each(worlds)('a chat that is read from a pipe, $name', ({ open }) => {
  beforeEach(async () => {
    world = await open()
  })

  it('runs one turn after the other, and ends with its input', async () => {
    const id = await newSession()
    const { code, stdout } = await world.bough(['chat', id], lines('apples', '', 'pears'))
    expect(code).toBe(0)
    expect(stdout).toMatch(/turn 1 on this line.*“apples”.*turn 2 on this line.*“pears”/s)
    expect(await world.json('log', id)).toHaveLength(4)
  })

  it('ends on SIGTERM in the middle of a turn, and sends none of the lines that wait behind it', async () => {
    await world.ok('config', 'permissions.allow', '["run"]')
    const id = await newSession()
    const chat = world.start(['chat', id], lines(runUntilTold, 'apples', 'pears'))
    onTestFinished(() => endCommands(world.project))
    await commandRuns(world.project)
    chat.child.kill('SIGTERM')
    expect(await chat.ended).toMatchObject({ code: 143 })
    expect(await world.ok('log', id)).not.toMatch(/apples|pears/)
  })

  it('shows after each message its id, which can be forked at', async () => {
    const id = await newSession()
    const { stdout } = await world.bough(['chat', id], lines('apples', 'pears'))
    const shown = [...stdout.matchAll(/^· (you|agent) (\w{6})$/gm)].map(
      ([, who, messageID]) => `${who} ${messageID}`,
    )
    const messages = [await world.json('log', id)].flat()
    const expected = ['you', 'agent', 'you', 'agent'].map((who) => expect.stringContaining(who))
    expect(shown).toEqual(expected)
    const [, , third] = messages
    expect(third).toMatchObject({ id: expect.stringMatching(new RegExp(`${shown[2]?.slice(-6)}$`)) })
  })

  it('forks with /branch at a message and goes on in the fork, which knows nothing of what came later', async () => {
    const id = await newSession('--title', 'Fruit')
    const { stdout } = await world.bough(['chat', id], lines('apples', 'pears'))
    const answer = /^· agent (\w{6})$/m.exec(stdout)?.[1]
    const branched = await world.bough(['chat', id], lines(`/branch ${answer}`, 'plums'))
    expect(branched.stdout).toContain('Fork of Fruit')
    expect(branched.stdout).toMatch(/“plums”.*1\. “apples”/s)
    const [fork] = [await world.json('ls')].flat()
    expect(fork).toMatchObject({ parentID: id, title: 'plums' })
    expect(await world.json('log', id)).toHaveLength(4)
  })

  it('forks with /branch alone at the newest message', async () => {
    const id = await newSession()
    await world.bough(['chat', id], lines('apples', '/branch', 'pears'))
    expect(await world.json('log', id)).toHaveLength(2)
    expect(await world.json('ls')).toMatchObject([{ parentID: id, messages: 2 }, { id }])
  })

  it('goes elsewhere with /open, and draws the tree with /tree', async () => {
    const [first, second] = [await newSession('--title', 'First'), await newSession('--title', 'Second')]
    const { stdout } = await world.bough(
      ['chat', first],
      lines('/tree', `/open ${short(second)}`, 'hello', '/tree'),
    )
    expect(stdout).toContain(`● First  ${short(first)}`)
    expect(stdout).toContain(`● Second  ${short(second)}`)
    expect(await world.json('log', second)).toMatchObject([{ text: 'hello' }, {}])
    expect(await world.json('log', first)).toEqual([])
  })

  it('sends nothing for a command that it does not know, and for one that fails', async () => {
    const id = await newSession()
    const { code, stdout, stderr } = await world.bough(
      ['chat', id],
      lines('/brunch', '/open zzzzzz', '/open', '/branch zzzzzz', '/help', '/quit', 'never sent'),
    )
    expect(code).toBe(0)
    expect(stdout).toContain(
      'There is no command "/brunch"; nothing was sent. Did you mean /branch? /help lists the commands.',
    )
    expect(stderr).toMatch(/no session "zzzzzz".*\n.*no message "zzzzzz"/)
    expect(stdout).toContain('/branch [message]')
    expect(await world.json('log', id)).toEqual([])
    expect(await world.json('ls')).toHaveLength(1)
  })

  it('goes on after a turn that failed', async () => {
    const id = await newSession()
    const { code, stdout } = await world.bough(['chat', id], lines('fail out of paper', 'still there?'))
    expect(code).toBe(0)
    expect(stdout).toContain('The turn failed: out of paper')
    expect(stdout).toContain('“still there?”')
  })

  it('shows the last messages of the session it opens', async () => {
    const id = await newSession()
    await world.ok('send', id, 'apples')
    expect((await world.bough(['chat', id])).stdout).toMatch(/you \w{6} · now\napples/)
    expect(
      (await world.bough(['chat', id], lines('/log', '/quit'))).stdout.match(/\napples\n/g),
    ).toHaveLength(2)
  })

  it('opens the newest session of this directory, or begins one', async () => {
    await world.bough(['chat'], lines('first words'))
    await world.bough(['chat'], lines('more words'))
    expect(await world.json('ls')).toMatchObject([
      { directory: world.project, title: 'first words', messages: 4 },
    ])
  })

  it('asks nobody for a permission: a line of the input is never taken for the answer', async () => {
    const id = await newSession()
    const running = world.start(['chat', id], lines('run touch made.txt', 'y'))
    await running.shows('bough approve ')
    await world.ok('approve', (await world.ok('approve')).slice(0, 6), '--deny')
    expect((await running.ended).code).toBe(0)
    expect(await world.json('log', id)).toMatchObject([
      { text: 'run touch made.txt' },
      {},
      { parts: [{ exitCode: 1 }] },
      {},
      { text: 'y' },
      {},
    ])
  })
})
