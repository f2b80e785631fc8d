import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newHome, openForTest, turn } from './support/bough.ts'
import { createWorld } from './support/run-bough.ts'
import { until } from './support/until.ts'

/** A PATH on which bubblewrap is found, and fails as where the system forbids it. */
function forbidden(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bin-'))
  writeFileSync(
    join(folder, 'bwrap'),
    '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2; exit 1\n',
  )
  chmodSync(join(folder, 'bwrap'), 0o755)
  return [folder, process.env.PATH].join(delimiter)
}

/** A world where commands need no asking, and the person has a file outside of the project. */
function world() {
  const made = createWorld()
  mkdirSync(made.home, { recursive: true })
  writeFileSync(join(made.home, 'config.json'), JSON.stringify({ permissions: { allow: ['run'] } }))
  const outside = join(mkdtempSync(join(tmpdir(), 'outside-')), 'file')
  const begin = async (...options: readonly string[]) =>
    (await made.ok('new', '--agent', 'offline', ...options)).trim()
  return { ...made, outside, begin }
}

test('a session runs in a sandbox where --sandbox says so, and its forks keep that', async () => {
  const { ok, json, begin, outside, project } = world()
  const free = await begin()
  await ok('send', free, `run echo free > ${outside}`)
  const confined = await begin('--sandbox', 'on')
  await ok('send', confined, `run echo confined > ${outside}; echo here > here`)
  expect(readFileSync(outside, 'utf8')).toBe('free\n')
  expect(existsSync(join(project, 'here'))).toBe(true)
  expect(await json('fork', confined, '--files', 'same')).toMatchObject({ sandbox: 'on' })
  expect(await json('fork', confined, '--files', 'same', '--sandbox', 'off')).toMatchObject({
    sandbox: 'off',
  })
})

test('an unknown mode is refused', async () => {
  const { bough } = world()
  expect(await bough(['new', '--sandbox', 'maybe'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--sandbox must be off, auto, on, not "maybe".'),
  })
})

test('a background run is in a sandbox by itself, unless the person chose otherwise', async () => {
  const { ok, begin, outside } = world()
  const main = await begin()
  const run = (word: string) => ['run', main, '--background', '--wait', `run echo ${word} >> ${outside}`]
  await ok(...run('confined'))
  expect(existsSync(outside)).toBe(false)
  await ok(...run('free'), '--sandbox', 'off')
  expect(readFileSync(outside, 'utf8')).toBe('free\n')
})

test('the configuration has the mode of sessions that name none, background runs too', async () => {
  const { ok, begin, outside } = world()
  await ok('config', 'sandbox.mode', 'off')
  const main = await begin()
  await ok('run', main, '--background', '--wait', `run echo run > ${outside}`)
  expect(readFileSync(outside, 'utf8')).toBe('run\n')
  await ok('config', 'sandbox.mode', 'on')
  await ok('send', main, `run echo confined > ${outside}`)
  expect(readFileSync(outside, 'utf8')).toBe('run\n')
})

test('with "on" nothing runs where no sandbox can be started, and the message says what to do', async () => {
  const { bough, begin, project } = world()
  const id = await begin('--sandbox', 'on')
  const { code, stderr } = await bough(['send', id, 'run touch ran'], { env: { PATH: forbidden() } })
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /in a sandbox or not at all.*No permissions to create new namespace.*user namespaces/s,
  )
  expect(existsSync(join(project, 'ran'))).toBe(false)
})

test('with "auto" it runs all the same where no sandbox can be started, and says so once', async () => {
  const path = process.env.PATH
  onTestFinished(() => void Object.assign(process.env, { PATH: path }))
  process.env.PATH = forbidden()
  const bough = await openForTest(await newHome())
  const { id } = await bough.create({ agent: 'offline', sandbox: 'auto' })
  const notices = async (text: string) => {
    const found: string[] = []
    for await (const event of (await bough.send(id, text)).events)
      if (event.type === 'notice') found.push(event.text)
    return found
  }
  expect(await notices('hello')).toEqual([
    expect.stringMatching(/^This runs without a sandbox\. bubblewrap cannot start/),
  ])
  expect(await notices('hello again')).toEqual([])
  expect(await turn(bough, id, 'hello')).not.toEqual([])
})

test('the doctor starts a sandbox and says what holds; where sessions must have one, it has to work', async () => {
  const { ok, bough } = world()
  expect(await ok('doctor')).toContain(
    '✓ sandbox: it works here; background runs auto, other sessions off (sandbox.mode); network in it: on (sandbox.network)',
  )
  const env = { PATH: forbidden() }
  const { code, stdout } = await bough(['doctor'], { env })
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/– sandbox: bubblewrap cannot/),
  })
  await ok('config', 'sandbox.mode', 'on')
  expect(await bough(['doctor'], { env })).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/✗ sandbox/),
  })
})

test('when bough is killed, the next one ends what runs in the sandbox', async () => {
  const { start, ok, begin } = world()
  const id = await begin('--sandbox', 'on')
  // Found by a duration that no other process sleeps for.
  const nap = `sleep ${process.pid}${Date.now()}`
  const running = start(['send', id, `run setsid -f ${nap}; ${nap}`])
  await until('the command to run', () => processesNamed(nap).length === 2)
  running.child.kill('SIGKILL')
  await running.ended
  await ok('log', id)
  await until('nothing to be left', () => processesNamed(nap).length === 0)
})

const processesNamed = (command: string): readonly string[] =>
  (spawnSync('pgrep', ['-xf', command], { encoding: 'utf8' }).stdout ?? '').split('\n').filter(Boolean)
