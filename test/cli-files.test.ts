import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createWorld, launcher, type World } from './support/run-bough.ts'

let world: World
let session: string

const write = (path: string, text: string) => writeFileSync(join(world.project, path), text)
const gitHere = (...args: string[]) => execFileSync('git', args, { cwd: world.project, encoding: 'utf8' })
const prompts = async (): Promise<string[]> => {
  const messages = await world.json('log', session)
  if (!Array.isArray(messages)) throw new Error('log --json gives a list')
  return messages.filter((message) => message.role === 'user').map((message) => message.id)
}

describe.each(['a git project', 'a directory without git'])('what a turn changed, in %s', (kind) => {
  beforeEach(async () => {
    world = createWorld()
    if (kind === 'a git project') {
      gitHere('init', '-q')
      write('kept.txt', 'as it was\n')
      gitHere('add', '-A')
      gitHere('-c', 'user.name=n', '-c', 'user.email=e', 'commit', '-qm', 'begin')
    }
    session = (await world.ok('new')).trim()
  })

  it('is shown as a diff, for the last turn and for the turn of any message', async () => {
    await world.ok('send', session, 'write soup.md: tomato')
    await world.ok('send', session, 'write soup.md: pea\nwrite deep/list.md: peas')
    const shown = await world.bough(['files', session])
    expect(shown).toMatchObject({ code: 0, stderr: '2 files changed.\n' })
    const last = shown.stdout
    expect(last).toContain('-tomato\n+pea\n')
    expect(last).toContain('+++ b/deep/list.md')
    const [first] = await prompts()
    expect(await world.json('files', `${session}@${first}`)).toMatchObject({
      changes: [{ path: 'soup.md', change: 'added' }],
    })
  })

  it('is byte by byte what git apply takes, where it goes into a pipe', async () => {
    const before = Buffer.from('one\n')
    const after = Buffer.concat([
      Buffer.from('\u009b2J \u202e\r \u001b]0;x\u0007 caf'),
      Buffer.from([0xe9, 0x0a]),
    ])
    writeFileSync(join(world.project, 'odd'), before)
    await world.ok('send', session, 'hello')
    writeFileSync(join(world.project, 'odd'), after)
    const { id } = JSON.parse(await world.ok('fork', session, '--files', 'same', '--json'))
    await world.ok('send', id, 'hello')
    writeFileSync(join(world.project, 'odd'), before)
    const args = [launcher, 'diff', '--files', `${session}@${(await prompts())[0]}`, id]
    const patch = execFileSync(process.execPath, args, {
      cwd: world.project,
      env: world.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    execFileSync('git', ['apply', '-'], { cwd: world.project, input: patch })
    expect(readFileSync(join(world.project, 'odd'))).toEqual(after)
  })

  it('leaves out what the person changed between two turns', async () => {
    await world.ok('send', session, 'write soup.md: tomato')
    write('mine.txt', 'by hand\n')
    await world.ok('send', session, 'delete soup.md')
    expect(await world.json('files', session)).toMatchObject({
      changes: [{ path: 'soup.md', change: 'deleted' }],
    })
    expect(readFileSync(join(world.project, 'mine.txt'), 'utf8')).toBe('by hand\n')
  })

  it('is nothing where nothing changed, and honours .gitignore', async () => {
    write('.gitignore', 'secret\n')
    await world.ok('send', session, 'write secret: 42')
    const shown = { code: 0, stdout: '', stderr: 'No file changed.\n' }
    expect(await world.bough(['files', session])).toMatchObject(shown)
  })

  it('cannot be told before the first turn, nor of a turn that was cut off: one clear line', async () => {
    const { code, stderr } = await world.bough(['files', session])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^bough: Nothing was asked here yet[^\n]*\n$/)
  })

  it('is part of the diff of two sessions with --files', async () => {
    await world.ok('send', session, 'write soup.md: tomato')
    const fork = (await world.ok('fork', session)).trim()
    await world.ok('send', fork, 'append soup.md: basil')
    expect(await world.ok('diff', session, fork, '--files')).toContain('+basil')
    expect(await world.ok('diff', session, fork)).not.toContain('+basil')
  })
})

it('files with odd names and bytes are shown without harm to the terminal', async () => {
  world = createWorld()
  mkdirSync(join(world.project, 'ünïcode dir'))
  session = (await world.ok('new')).trim()
  await world.ok('send', session, 'write ünïcode dir/a b.txt: \u001b[31mred\u0007')
  const command = `'${process.execPath}' '${launcher}' files ${session}`
  const shown = execFileSync('script', ['-qec', command, '/dev/null'], {
    ...{ cwd: world.project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
    env: { ...world.env, NO_COLOR: '1' },
  })
  expect(shown).toContain('+red')
  expect(shown).not.toContain('\u001b')
})
