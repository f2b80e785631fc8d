import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { commitAll, person, put } from '../src/workspace/testing/ground.ts'
import { createWorld, launcher, type World } from './support/run-bough.ts'
import { Tmux } from './support/tmux.ts'

let world: World
let session: string
let first: string

const read = (path: string) => readFileSync(join(world.project, path), 'utf8')

beforeEach(async () => {
  world = createWorld()
  person(world.project, 'init', '-q', '-b', 'main')
  put(world.project, { 'a.txt': 'a\n' })
  commitAll(world.project)
  session = (await world.ok('new', '--title', 'Soup')).trim()
  await world.ok('send', session, 'write a.txt: one')
  const messages = await world.json('log', session)
  first = Array.isArray(messages) ? messages.at(-1).id : ''
  await world.ok('send', session, 'write a.txt: two\nwrite b.txt: two')
})

describe('bough fork --files', () => {
  it('says which it chose and why, on stderr; the id alone on stdout', async () => {
    const { code, stdout, stderr } = await world.bough(['fork', `${session}@${first}`])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ses_\w{26}\n$/)
    expect(stderr).toContain('bough: The files are not as they were at the fork point (2 differ).')
    expect(stderr).toMatch(
      /worktree of its own, \S+\/worktrees\/\S+\/soup-\w{6}, on branch bough\/soup-\w{6}/,
    )
    const same = await world.bough(['fork', session])
    expect(same.stderr).toBe('bough: The files are still as they were at the fork point.\n')
  })

  it('refuses a mode that there is not', async () => {
    const { code, stderr } = await world.bough(['fork', session, '--files', 'worktrees'])
    expect(code).toBe(2)
    expect(stderr).toContain('auto, worktree, clean, same, restore')
  })

  it('shows the output of the set-up command, and keeps the fork when that fails', async () => {
    await world.ok('config', 'worktree.setup', 'echo installing; exit 7')
    const { code, stderr } = await world.bough(['fork', `${session}@${first}`, '--files', 'worktree'])
    expect(code).toBe(0)
    expect(stderr.match(/^installing$/gm)).toHaveLength(1)
    expect(stderr).toContain('failed with exit code 7.\n')
  })

  it('restores after it listed what changes, and bough undo takes it back', async () => {
    const restore = ['fork', `${session}@${first}`, '--files', 'restore']
    const unasked = await world.bough(restore)
    expect(unasked).toMatchObject({ code: 2, stdout: '' })
    expect(unasked.stderr).toContain('There is no terminal to ask at, so nothing was changed. Add --yes')
    expect([read('a.txt'), await world.json('ls')]).toEqual(['two\n', [expect.anything()]])
    const { code, stderr } = await world.bough([...restore, '--yes'])
    expect(code).toBe(0)
    expect(stderr).toContain('this puts 2 files back:\n  ~ a.txt\n  - b.txt\n')
    expect(read('a.txt')).toBe('one\n')
    const dry = await world.ok('undo', '--dry-run')
    expect(dry).toContain('2 files would be put back')
    expect(read('a.txt')).toBe('one\n')
    // One that has nothing to do is not what undo takes back.
    const twice = await world.bough(['fork', `${session}@${first}`, '--files', 'restore'])
    expect(twice.stderr).toContain('nothing was put back')
    expect(await world.ok('undo')).toContain('2 files put back')
    expect([read('a.txt'), read('b.txt')]).toEqual(['two\n', 'two\n'])
    const again = await world.bough(['undo'])
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing to undo') })
  })

  it('asks on a terminal before it restores, and does nothing without a clear yes', async () => {
    const restore = () => {
      const command = `'${process.execPath}' '${launcher}' fork ${session}@${first} --files restore`
      const terminal = Tmux.start(command, { cwd: world.project, env: world.env })
      onTestFinished(() => terminal.close())
      return terminal
    }
    const hesitant = restore()
    await hesitant.shows(/Put them back\? .*y\(es\) n\(o\): $/m)
    hesitant.press('Enter')
    await hesitant.shows(/nothing was changed, and no fork was made.*ended with 1/s)
    expect(read('a.txt')).toBe('two\n')
    const sure = restore()
    await sure.shows(/Put them back\? .*y\(es\) n\(o\): $/m)
    sure.type('yes')
    await sure.shows(/The files were put back to the fork point: 2 files changed.*ended with 0/s)
    expect(read('a.txt')).toBe('one\n')
  })
})

describe('bough diff --files', () => {
  it('compares sessions, messages, snapshots and directories', async () => {
    const fork: unknown = await world.json('fork', `${session}@${first}`, '--files', 'worktree')
    if (typeof fork !== 'object' || !fork || !('id' in fork) || !('directory' in fork))
      throw new Error('no fork')
    put(String(fork.directory), { 'a.txt': 'in the fork, by hand\n' })
    expect(await world.ok('diff', session, String(fork.id), '--files')).toContain('+in the fork, by hand')
    expect(await world.ok('diff', `${session}@${first}`, '.', '--files')).toContain('-one\n+two\n')
    const { snapshot } = await lastMessage()
    expect(await world.ok('diff', snapshot, String(fork.directory), '--files')).toContain('+in the fork')
    expect(await world.bough(['diff', 'snp_zzzzzz', '.', '--files'])).toMatchObject({ code: 1 })
  })

  it('a notice of a turn is in the name of bough, on stderr', async () => {
    const nested = join(world.project, 'nested')
    put(nested, { 'a.txt': 'a\n' })
    person(nested, 'init', '-q', '-b', 'main')
    commitAll(nested)
    const { stderr } = await world.bough(['send', session, 'hello'])
    expect(stderr).toMatch(/^bough: Not in the snapshot of the files: nested /m)
  })

  it('bough files --now shows what changed since', async () => {
    const unchanged = { code: 0, stdout: '', stderr: expect.stringContaining('No file changed.\n') }
    expect(await world.bough(['files', session, '--now'])).toMatchObject(unchanged)
    put(world.project, { 'c.txt': 'by hand\n' })
    expect(await world.ok('files', session, '--now')).toContain('+by hand')
    expect(await world.ok('files', `${session}@${first}`, '--now')).toContain('-one\n+two\n')
  })
})

describe('bough gc and rm', () => {
  it('ask at a terminal before a session is deleted, and say what goes with it', async () => {
    const id = (await world.ok('fork', session, '--files', 'worktree', '--title', 'Soup')).trim()
    await world.ok('fork', id, '--files', 'same')
    const remove = (...options: readonly string[]) => {
      const command = `'${process.execPath}' '${launcher}' rm ${[id, ...options].join(' ')}`
      const terminal = Tmux.start(command, { cwd: world.project, env: world.env, columns: 200 })
      onTestFinished(() => terminal.close())
      return terminal
    }
    const hesitant = remove()
    await hesitant.shows(
      /this deletes "Soup" \w{6}: 1 message; its worktree goes too, .*; 1 fork of it stays\.\s+Delete it\? y\(es\) n\(o\): $/m,
    )
    hesitant.press('Enter')
    await hesitant.shows(/nothing was deleted.*ended with 1/s)
    const sure = remove()
    await sure.shows(/Delete it\?/)
    sure.type('y')
    await sure.shows(/Deleted "Soup".*ended with 0/s)
    const other = (await world.ok('new')).trim()
    const command = `'${process.execPath}' '${launcher}' rm ${other} --yes`
    const unasked = Tmux.start(command, { cwd: world.project, env: world.env })
    onTestFinished(() => unasked.close())
    expect(await unasked.shows(/ended with 0/)).not.toContain('y(es)')
  })

  it('say what went, with sizes, and what stays and why', async () => {
    const id = (await world.ok('fork', `${session}@${first}`, '--files', 'worktree')).trim()
    const fork: unknown = await world.json('fork', `${session}@${first}`, '--files', 'worktree')
    if (typeof fork !== 'object' || !fork || !('id' in fork) || !('directory' in fork))
      throw new Error('no fork')
    expect(await world.ok('rm', '--yes', id)).toMatch(
      /Its worktree is gone\. Its uncommitted work is kept: bough undo snp_/,
    )
    put(String(fork.directory), { 'big.txt': 'x'.repeat(100_000) })
    commitAll(String(fork.directory))
    expect(await world.ok('rm', '--yes', String(fork.id))).toContain('stays: it has commits of its own')
    expect(existsSync(String(fork.directory))).toBe(false)
    expect(await world.ok('gc', '--dry-run')).toMatch(/^At least .+ would be freed; nothing was changed\.$/m)
    expect(await world.ok('gc')).toMatch(/kept branch bough\/soup-\w{6}: it has commits of its own/)
    expect(await world.json('gc')).toMatchObject({ freed: 0 })
  })
})

async function lastMessage(): Promise<{ snapshot: string }> {
  const messages = await world.json('log', session)
  return Array.isArray(messages) ? messages.at(-1) : { snapshot: '' }
}
