import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { withoutPrivileges } from '../src/workspace/testing/worktree-ground.ts'
import { refused, short } from './support/refused.ts'
import { createWorld, launcher, type World } from './support/run-bough.ts'
import { worlds } from './support/worlds.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})

const newSession = async (...options: string[]): Promise<string> => (await world.ok('new', ...options)).trim()

describe('bough itself', () => {
  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
    expect(await world.ok('--version')).toBe(`bough ${version}\n`)
    // No server is asked for it.
    for (const asked of ['--version', '-v'])
      expect(await world.ok(asked, '--server', 'http://127.0.0.1:1')).toBe(`bough ${version}\n`)
    expect(await world.ok('--server', 'http://127.0.0.1:1', '--version')).toBe(`bough ${version}\n`)
  })

  it.each([['--help'], ['-h'], ['help']])('says with %s which commands there are', async (...args) => {
    expect(await world.ok(...args)).toContain('Usage: bough [command] [options]')
  })

  it('says what a command does, asked in either way', async () => {
    expect(await world.ok('help', 'fork')).toBe(await world.ok('fork', '--help'))
    expect(await world.ok('fork', '--help')).toContain('--before')
    expect(await world.ok('help', 'routine', 'add')).toBe(await world.ok('routine', 'add', '--help'))
    await refused(world, ['help', 'routine', 'dance'], 2, '"routine" has no "dance"')
  })

  it.each([
    [['frok'], 'Did you mean "fork"?'],
    [['--wrong'], 'There is no option "--wrong"'],
    [['help', 'nothing-like-it'], 'There is no command'],
    [['new', 'word'], 'does not know what to do with "word"'],
    [['ls', '--limit', 'many'], 'whole number of at least 1'],
    [['completion', 'tcsh'], 'bash, zsh and fish'],
  ])('refuses %j as wrong use', async (args, complaint) => {
    await refused(world, args, 2, complaint)
  })

  it('ends quietly when nobody reads what it prints', async () => {
    const id = await newSession()
    await world.bough(['send', id, '-'], { input: 'a long text '.repeat(100_000) })
    const running = world.start(['log', id])
    running.child.stdout?.destroy()
    expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
    const help = world.start(['--help'])
    help.child.stdout?.destroy()
    expect(await help.ended).toMatchObject({ code: 0, stderr: '' })
  })

  it('colours only terminals, unless it is told to', async () => {
    await newSession()
    const colour = '\x1b['
    expect((await world.bough(['ls'])).stdout).not.toContain(colour)
    expect((await world.bough(['ls'], { env: { FORCE_COLOR: '1' } })).stdout).toContain(colour)
  })
})

describe.each(worlds)('bough new, $name', ({ open }) => {
  beforeEach(async () => {
    world = await open()
  })

  it('prints the id of the new session, and nothing else', async () => {
    expect(await world.ok('new')).toMatch(/^ses_[0-9a-z]{26}\n$/)
  })

  it('takes title, agent, model and directory', async () => {
    mkdirSync(join(world.project, 'sub'))
    const session = await world.json(
      'new',
      '--title',
      'A title',
      '--agent',
      'offline',
      '--model',
      'm',
      '--dir',
      'sub',
    )
    expect(session).toMatchObject({
      title: 'A title',
      agent: 'offline',
      model: 'm',
      directory: join(world.project, 'sub'),
      kind: 'root',
      parentID: null,
      messages: 0,
    })
  })

  it('works in this directory when none is named', async () => {
    expect(await world.json('new')).toMatchObject({ directory: world.project })
  })

  it('refuses a directory that is not there, and an agent that it does not know', async () => {
    await refused(world, ['new', '--dir', 'nowhere'], 1, 'nowhere')
    await refused(world, ['new', '--agent', 'nobody'], 1, /no agent "nobody".*offline/)
  })
})

it('bough ls refuses a directory that is not there, where no session worked in it', async () => {
  await refused(world, ['ls', '--dir', '/nope'], 1, 'There is no directory /nope')
})

it('A directory that may not be entered is named as that, and git is not blamed', async () => {
  const [program = process.execPath, ...rest] = [...withoutPrivileges(), process.execPath, launcher]
  world = createWorld({ command: [program, ...rest], env: process.env })
  const locked = join(world.project, 'locked')
  mkdirSync(locked)
  const id = await newSession('--dir', locked)
  chmodSync(locked, 0o000)
  await refused(world, ['new', '--dir', locked], 1, `You may not enter and read the directory ${locked}.`)
  await refused(world, ['new', '--dir', join(locked, 'x')], 1, 'You may not enter')
  const { stdout, stderr } = await world.bough(['send', id, 'hello'])
  expect(stdout + stderr).toContain(`The directory ${locked} is gone, or you may not enter it.`)
})

describe.each(worlds)('bough ls, $name', ({ open }) => {
  beforeEach(async () => {
    world = await open()
  })

  it('shows sessions, the newest first', async () => {
    const first = await newSession('--title', 'First')
    const second = await newSession('--title', 'Second')
    const lines = (await world.ok('ls')).split('\n')
    expect(lines[1]).toMatch(new RegExp(`^${short(second)}  Second`))
    expect(lines[2]).toMatch(new RegExp(`^${short(first)}  First`))
    expect(await world.json('ls')).toMatchObject([{ id: second }, { id: first }])
  })

  it('shows as many as are wanted, and says how to see more', async () => {
    for (const title of ['One', 'Two', 'Three']) await newSession('--title', title)
    expect(await world.ok('ls', '--limit', '2')).toContain(
      'The 2 newest. "bough ls --all" shows all of them.',
    )
    expect(await world.json('ls', '--limit', '2')).toMatchObject([{ title: 'Three' }, { title: 'Two' }])
    expect(await world.ok('ls', '--all')).not.toContain('newest')
  })

  it('filters by directory and agent', async () => {
    mkdirSync(join(world.project, 'sub'))
    const id = await newSession('--dir', 'sub')
    await newSession()
    expect(await world.json('ls', '--dir', 'sub')).toMatchObject([{ id }])
    expect(await world.json('ls', '--agent', 'codex')).toEqual([])
    await refused(world, ['ls', '--agent', 'nope'], 1, /no agent "nope" here.*offline/)
  })

  it('says what to do when there is none', async () => {
    expect(await world.ok('ls')).toContain('"bough new" begins one')
    expect(await world.json('ls')).toEqual([])
  })
})
