import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createWorld, type World } from './support/run-bough.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})

describe('bough demo', () => {
  it('makes a project and a tree, once', async () => {
    const first = await world.ok('demo')
    expect(first).toMatch(
      /Plan the Friday dinner.*├─ What if it were vegan\?.*│ {2}└─ Vegan, and no nuts.*└─ A picnic/s,
    )
    expect(readFileSync(join(world.home, 'demo/dinner/menu-vegan.md'), 'utf8')).toContain(
      'No nuts in anything',
    )
    const rows = await world.json('demo')
    expect(rows).toMatchObject(Array.from({ length: 4 }, () => ({ labels: ['demo'], agent: 'offline' })))
    expect(await world.json('ls', '--all')).toHaveLength(4)
  })

  it('is a git project: a fork gets the files of its message in a worktree', async () => {
    const [{ id }] = (await world.json('demo')) as [{ id: string }]
    const messages = (await world.json('log', id)) as { id: string; text: string }[]
    const menu = messages.find(({ text }) => text.startsWith('write menu.md'))?.id
    const fork = (await world.json('fork', `${id}@${menu}`, '--before')) as { directory: string }
    expect(readdirSync(fork.directory).toSorted()).toEqual(['.git', 'README.md', 'guests.txt', 'recipes'])
    const project = join(world.home, 'demo/dinner')
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: project, encoding: 'utf8' })).toBe('')
  })

  it('is a plain directory where there is no git', async () => {
    const bin = mkdtempSync(join(world.project, 'bin-'))
    symlinkSync('/bin/sh', join(bin, 'sh'))
    const { code, stdout } = await world.bough(['demo'], { env: { PATH: bin } })
    expect([code, stdout]).toEqual([0, expect.stringContaining('└─ A picnic instead')])
    expect(existsSync(join(world.home, 'demo/dinner/.git'))).toBe(false)
  })

  it('makes a new one with --fresh, or when the old one is gone', async () => {
    await world.ok('demo')
    await world.ok('demo', '--fresh')
    expect(readdirSync(join(world.home, 'demo')).toSorted()).toEqual(['dinner', 'dinner-2'])
    rmSync(join(world.home, 'demo'), { recursive: true })
    expect(await world.json('demo')).toMatchObject([
      { directory: join(world.home, 'demo/dinner') },
      {},
      {},
      {},
    ])
  })

  it('is shown as long as any of its sessions lives, and is made anew when none does', async () => {
    const ids = ((await world.json('demo')) as { id: string }[]).map(({ id }) => id)
    const [root = '', vegan = '', ...others] = ids
    for (const id of [root, vegan]) await world.ok('rm', '--yes', id)
    const { stdout } = await world.bough([])
    expect(stdout).toContain('└─ A picnic instead')
    expect(stdout).toContain(`bough log ${others[0]?.slice(-6)}`)
    expect(await world.json('ls', '--all')).toHaveLength(2)
    for (const id of others) await world.ok('rm', '--yes', id)
    await world.bough([])
    expect(await world.json('ls', '--all')).toHaveLength(4)
    expect(readdirSync(join(world.home, 'demo')).toSorted()).toEqual(['dinner', 'dinner-2'])
  })

  it('that was killed half way is not taken for a whole one', async () => {
    const half = world.start(['demo'])
    const menu = join(world.home, 'demo/dinner/menu.md')
    const killed = new Promise<void>((resolve) => {
      const look = () => {
        if (!existsSync(menu)) return void setImmediate(look)
        half.child.kill('SIGKILL')
        resolve()
      }
      look()
    })
    await killed
    expect((await half.ended).code).toBeNull()
    const rows = [await world.json('demo')].flat()
    expect(rows).toHaveLength(4)
    expect(rows[0]).toMatchObject({ directory: join(world.home, 'demo/dinner'), labels: ['demo'] })
    expect(await world.json('tree')).toEqual(rows)
  })

  it('is what bough alone shows where there is no terminal, with commands that can be typed', async () => {
    const { code, stdout } = await world.bough([])
    expect(code).toBe(0)
    expect(stdout).toContain('Plan the Friday dinner')
    expect(stdout).toMatch(/Try next:\n {2}bough log \w{6}/)
    const started = await world.bough([], { env: { npm_lifecycle_event: 'start' } })
    expect(started.stdout).toMatch(/Try next:\n {2}npx bough log \w{6}/)
    for (const [, command = ''] of stdout.matchAll(/^ {2}bough ((?:log|diff) [\w ]+?) {2}/gm))
      expect((await world.bough(command.split(' '))).code).toBe(0)
  })
})
