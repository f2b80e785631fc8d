import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { refused } from './support/refused.ts'
import { createWorld, launcher, type World } from './support/run-bough.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})

const newSession = async (...options: string[]): Promise<string> => (await world.ok('new', ...options)).trim()

describe('bough config', () => {
  it('shows all options, one, and sets and unsets them', async () => {
    expect(await world.ok('config')).toMatch(/agent +\(none\).*permissions\.timeout +600/s)
    expect(await world.ok('config', 'permissions.timeout', '60')).toBe('')
    expect(await world.ok('config', 'permissions.timeout')).toBe('60\n')
    expect(await world.json('config')).toMatchObject({ agent: null, permissions: { timeout: 60 } })
    await world.ok('config', 'permissions.timeout', '--unset')
    expect(await world.json('config', 'permissions.timeout')).toBe(600)
  })

  it('refuses what is no option or no value for it', async () => {
    await refused(world, ['config', 'colour', 'blue'], 2, 'There is no option "colour"')
    await refused(world, ['config', 'permissions.timeout', 'soon'], 2, 'whole number of seconds')
    await refused(
      world,
      ['config', 'agent', 'nope'],
      2,
      '"agent" must be the name of an agent: claude, codex',
    )
    await refused(
      world,
      ['config', 'tui.theme', 'pink'],
      2,
      /^bough: "tui.theme" must be auto, dark.*plain\. Nothing was written\.$/m,
    )
    await refused(world, ['config', '--unset'], 2, 'Name the one option')
  })

  it('that is broken stops every command with one line that names it', async () => {
    mkdirSync(world.home, { recursive: true })
    writeFileSync(join(world.home, 'config.json'), '{"agnet": "x"}')
    const ended = await world.bough(['ls'])
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toMatch(/^bough: \S+config\.json has "agnet".*\n$/)
    await world.ok('config', 'agnet', '--unset')
    await world.ok('ls')
  })
})

describe('bough doctor', () => {
  it('says that all is fine', async () => {
    const checks: readonly { readonly name: string }[] = JSON.parse(await world.ok('doctor', '--json'))
    // Who else listens on this machine is not known here.
    expect(checks.filter(({ name }) => name !== 'server')).toMatchObject([
      { name: 'Node', ok: true },
      { name: 'git', ok: true },
      { name: 'data', ok: true, detail: world.home },
      { name: 'config', ok: true },
      { name: 'store', ok: true },
      { name: 'claude', ok: false, optional: true, fix: expect.stringContaining('ANTHROPIC_API_KEY') },
      { name: 'codex', ok: false, optional: true, fix: expect.stringContaining('codex login') },
      { name: 'offline', ok: true },
      { name: 'agent of new sessions', ok: true, detail: 'offline' },
      { name: 'trust', ok: true },
      { name: 'discord', ok: false, optional: true, fix: expect.stringContaining('make a bot') },
      { name: 'sandbox', ok: true },
    ])
    expect(await world.ok('doctor')).toMatch(/^✓ Node: v\d+/)
  })

  it('says what is missing and how to fix it, and ends with 1', async () => {
    const withoutGit = await world.bough(['doctor'], { env: { PATH: '' } })
    expect(withoutGit.code).toBe(1)
    expect(withoutGit.stdout).toContain('✗ git: not found\n  Install git')

    mkdirSync(world.home, { recursive: true })
    writeFileSync(join(world.home, 'config.json'), '{"agent": "nobody"}')
    const ended = await world.bough(['doctor'])
    expect(ended.code).toBe(1)
    expect(ended.stdout).toContain('✗ agent of new sessions: there is no agent "nobody" here')
    expect(ended.stdout).toContain('bough config agent <claude|codex|offline>')

    writeFileSync(
      join(world.home, 'config.json'),
      '{"agent": "codex", "codex": {"executable": "/nowhere/codex"}}',
    )
    const { stdout } = await world.bough(['doctor'])
    expect(stdout).toMatch(
      /✗ agent of new sessions: codex: There is no program .*\n {2}Choose another: bough config/,
    )
  })

  it('tells once of options that cannot be read', async () => {
    mkdirSync(world.home, { recursive: true })
    writeFileSync(join(world.home, 'config.json'), '{')
    const { code, stdout } = await world.bough(['doctor'])
    expect(code).toBe(1)
    expect(stdout.match(/is not valid JSON/g)).toHaveLength(1)
  })

  it.runIf(existsSync('/proc/self'))('ends where no directory can be made', async () => {
    const { code, stdout } = await world.bough(['doctor'], { env: { BOUGH_HOME: '/proc/x' } })
    expect(code).toBe(1)
    expect(stdout).toContain('✗ data: /proc/x')
  })

  it('finds a data directory that cannot be one', async () => {
    writeFileSync(world.home, 'a file')
    const ended = await world.bough(['doctor'])
    expect(ended.code).toBe(1)
    expect(ended.stdout).toContain(`✗ data: ${world.home}`)
    expect(ended.stdout).toContain('✗ config: ')
  })
})

describe('what goes wrong outside', () => {
  it('a damaged database is one clear line', async () => {
    await newSession()
    writeFileSync(join(world.home, 'bough.db'), 'this is no database at all'.repeat(400))
    const ended = await world.bough(['ls'])
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toMatch(/^bough: [^\n]+\n$/)
    expect(ended.stderr).not.toContain('unexpected')
  })

  it('a home that cannot be written is one clear line', async () => {
    writeFileSync(join(world.project, 'file'), '')
    const ended = await world.bough(['new'], { env: { BOUGH_HOME: join(world.project, 'file', 'home') } })
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toMatch(/^bough: [^\n]+\n$/)
    expect(ended.stderr).not.toContain('unexpected')
  })

  it.runIf(existsSync('/dev/full'))('output that does not fit on the disk is one clear line', async () => {
    for (const args of [['ls'], ['--help']]) {
      const shell = spawnSync('sh', ['-c', '"$0" "$@" > /dev/full', process.execPath, launcher, ...args], {
        encoding: 'utf8',
        env: world.env,
      })
      expect(shell.status).toBe(1)
      expect(shell.stderr).toMatch(/^bough: The output could not be written \(.*ENOSPC.*\n$/)
    }
  })

  it('an error that nobody foresaw says how to see where it came from', async () => {
    const ended = await world.bough(['new'], { env: { BOUGH_DEBUG: '1', BOUGH_HOME: '/dev/null/x' } })
    expect(ended.stderr).toMatch(/^bough: .+\n.*\n? +at /s)
  })
})
