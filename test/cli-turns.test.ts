import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { refused } from './support/refused.ts'
import { createWorld, type World } from './support/run-bough.ts'
import { worlds } from './support/worlds.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})

const newSession = async (...options: string[]): Promise<string> => (await world.ok('new', ...options)).trim()

describe.each(worlds)('bough send, $name', ({ open }) => {
  beforeEach(async () => {
    world = await open()
  })

  it('prints the reply on stdout, and what the agent does on stderr', async () => {
    const id = await newSession()
    const ended = await world.bough(['send', id, 'write note.txt: hello\nHow are you?'])
    expect(ended.code).toBe(0)
    expect(ended.stderr).toContain('→ write file=note.txt text=hello')
    expect(ended.stdout).toContain('You just told me: “How are you?”')
    expect(ended.stdout).not.toContain('→')
    expect(readFileSync(join(world.project, 'note.txt'), 'utf8')).toContain('hello')
  })

  it('streams: words are there before the turn has ended', async () => {
    const id = await newSession()
    const running = world.start(['send', id, 'words 5\nsleep 30\nwords 3'])
    await running.shows('bark')
    expect(running.child.exitCode).toBeNull()
    running.child.kill('SIGINT')
    await running.ended
  })

  it('prints with --json the messages of the turn, the prompt first', async () => {
    const id = await newSession()
    await world.ok('send', id, 'the turn before')
    const messages = await world.json('send', id, 'read nothing.txt')
    expect(messages).toMatchObject([
      { role: 'user', text: 'read nothing.txt', sessionID: id, parts: [{ type: 'text' }] },
      { role: 'assistant', parts: [{ type: 'tool-call', name: 'read' }] },
      { role: 'tool', parts: [{ type: 'tool-result', exitCode: 1 }] },
      { role: 'assistant', status: 'complete' },
    ])
    expect(await world.json('log', id, '--limit', '4')).toEqual(messages)
  })

  it('reads the text from stdin for "-"', async () => {
    const id = await newSession()
    const ended = await world.bough(['send', id, '-', '--json'], { input: 'line one\nline two\n' })
    expect(JSON.parse(ended.stdout)).toMatchObject([{ text: 'line one\nline two' }, {}])
  })

  it('refuses a text that is empty, from either place', async () => {
    const id = await newSession()
    await refused(world, ['send', id, ''], 2, 'empty')
    await refused(world, ['send', id, ' \n\t'], 2, 'empty')
    await refused(world, ['send', id, '-'], 2, 'empty')
  })

  it('refuses several words, and says to quote them', async () => {
    await refused(world, ['send', await newSession(), 'two', 'words'], 2, 'Put the text in quotes')
  })

  it('ends with 1 and one line why when the turn failed', async () => {
    const ended = await world.bough(['send', await newSession(), 'fail out of paper'])
    expect(ended).toMatchObject({ code: 1, stderr: 'bough: The turn failed: out of paper\n' })
  })

  it('interrupts the turn on Ctrl-C, stores what there is, and ends with 130', async () => {
    const id = await newSession()
    const running = world.start(['send', id, 'words 5\nsleep 60'])
    await running.shows('bark')
    running.child.kill('SIGINT')
    const ended = await running.ended
    expect(ended.code).toBe(130)
    expect(ended.stderr).toMatch(/^bough: The turn was interrupted: .+\n$/)
    expect(await world.json('log', id)).toMatchObject([
      { role: 'user' },
      { role: 'assistant', status: 'interrupted' },
      { role: 'system' },
    ])
    expect(await world.json('ls')).toMatchObject([{ state: 'idle' }])
  })

  it('says what it waits for when that takes over a second', async () => {
    const running = world.start(['send', await newSession(), 'sleep 1.5'])
    expect((await running.ended).stderr).toContain('bough: the agent works …')
  })

  it('never lets a message drive the terminal', async () => {
    const id = await newSession()
    writeFileSync(join(world.project, 'evil.txt'), 'x\x1b]52;c;aGFoYQ==\x07y')
    const { stdout, stderr } = await world.bough(['send', id, 'read evil.txt\nand \x1b[2J\u009bthis'])
    const { stdout: log } = await world.bough(['log', id])
    const { stdout: json } = await world.bough(['log', id, '--json'])
    for (const text of [stdout, stderr, log, json]) expect(text).not.toMatch(/(?![\n\t])\p{Cc}/u)
    expect(stderr).toContain('xy')
    expect(JSON.parse(json)[0]).toMatchObject({ text: 'read evil.txt\nand \x1b[2J\u009bthis' })
  })
})

it.each([
  ['600', /it is denied in 10 minutes\.$/m],
  ['40', /it is denied in [34]\d seconds\.$/m],
])(
  'What nobody answers within %s seconds is denied, which is said with the question',
  async (seconds, words) => {
    await world.ok('config', 'permissions.timeout', seconds)
    const running = world.start(['send', await newSession(), 'run true'])
    await running.shows('it is denied in ')
    running.child.kill('SIGINT')
    expect((await running.ended).stderr).toMatch(words)
  },
)

describe.each(worlds)('permissions, $name', ({ open }) => {
  beforeEach(async () => {
    world = await open()
  })

  it('that nobody can be asked for are announced, and answered with bough approve', async () => {
    const id = await newSession()
    const running = world.start(['send', id, 'run echo done > made.txt'])
    await running.shows('bough approve ')
    const [asked] = [await world.json('approve')].flat()
    expect(asked).toMatchObject({
      tool: 'run',
      detail: 'echo done > made.txt',
      state: 'asked',
      sessionID: id,
    })
    const listed = await world.ok('approve')
    expect(listed).toContain('run: echo done > made.txt')
    const typed = listed.slice(0, 6)
    expect(await world.ok('approve', typed)).toBe('Allowed: run: echo done > made.txt\n')
    expect((await running.ended).code).toBe(0)
    expect(readFileSync(join(world.project, 'made.txt'), 'utf8')).toBe('done\n')
    await refused(world, ['approve', typed], 1, 'There is no open question')
    expect(await world.ok('approve')).toBe('Nothing is asked.\n')
  })

  it('can be denied, and granted for a session', async () => {
    const id = await newSession()
    const denied = world.start(['send', id, 'run touch denied.txt'])
    await denied.shows('bough approve ')
    const typed = (await world.ok('approve')).slice(0, 6)
    expect(await world.ok('approve', typed, '--deny')).toContain('Denied: run')
    await denied.ended

    const granted = world.start([
      'send',
      id,
      'run touch first.txt\nrun touch first.txt\nrun touch second.txt',
    ])
    await granted.shows('bough approve ')
    const listed = await world.ok('approve')
    expect(listed).toContain('--session  this exact command this session')
    expect(listed).toContain('--every    every command this session')
    expect(await world.ok('approve', listed.slice(0, 6), '--session')).toContain(
      'Allowed this exact command this session: run: touch first.txt',
    )
    await granted.shows('touch second.txt')
    const second = (await world.ok('approve')).slice(0, 6)
    expect(await world.ok('approve', second, '--every')).toContain('Allowed every command this session')
    expect((await granted.ended).code).toBe(0)
    expect(readdirSync(world.project).toSorted()).toEqual(['first.txt', 'second.txt'])
  })
})

describe('permissions', () => {
  it('are nothing that an agent can grant itself', async () => {
    const agent = { BOUGH_AGENT: '1' }
    await refused(world, ['approve', 'abc'], 1, 'An agent may not use "bough approve"', agent)
    await refused(
      world,
      ['config', 'permissions.allow', '["run"]'],
      1,
      'An agent may not use "bough config"',
      agent,
    )
    await refused(
      world,
      ['config', 'permissions.deny', '--unset'],
      1,
      'An agent may not use "bough config"',
      agent,
    )
    expect((await world.bough(['config', 'permissions.timeout'], { env: agent })).stdout).toBe('600\n')
  })

  it.each([
    [['approve', 'abc', '--deny', '--session'], 'only one of --deny, --session, --always and --every'],
    [['approve', '--deny'], 'Name what to answer'],
  ])('refuse %j as wrong use', async (args, complaint) => {
    await refused(world, args, 2, complaint)
  })
})
