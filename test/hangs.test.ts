import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { commitAll, person, put } from '../src/workspace/testing/ground.ts'
import { createWorld } from './support/run-bough.ts'

// The real program, with something in the place of a file that nobody can read to its end.

function makePipe(path: string): void {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(dirname(path), { recursive: true })
  execFileSync('mkfifo', [path])
}

function newWorld() {
  const world = createWorld()
  person(world.project, 'init', '-q', '-b', 'main')
  put(world.project, { 'a.txt': 'a' })
  commitAll(world.project)
  return world
}

test('a turn goes on where git would wait for a pipe, and says that nothing was captured', async () => {
  const { project, bough, ok } = newWorld()
  const session = (await ok('new', '--agent', 'offline')).trim()
  for (const name of ['.git/info/exclude', '.git/index', 'deep/er/.gitignore']) {
    const pipe = join(project, name)
    makePipe(pipe)
    const { code, stdout, stderr } = await bough(['send', session, 'hello'])
    expect([code, stderr]).toEqual([0, expect.any(String)])
    expect(stdout + stderr).toContain(`No snapshot of the files was taken. ${pipe} is a named pipe`)
    rmSync(pipe)
    if (name === '.git/index') person(project, 'reset', '-q')
  }
})

test('a signal ends the program at once while git waits for a pipe', async () => {
  const { project, ok, start } = newWorld()
  const session = (await ok('new', '--agent', 'offline')).trim()
  makePipe(join(project, 'deep/.gitignore'))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const running = start(['send', session, 'run echo begun; sleep 100'])
    await running.shows('begun')
    running.child.kill(signal)
    const { code } = await running.ended
    expect(code).toBe(signal === 'SIGTERM' ? 143 : 130)
  }
})

test('a config that is a pipe or a device is refused, and the program ends', async () => {
  const { home, bough } = newWorld()
  const config = join(home, 'config.json')
  makePipe(config)
  const piped = await bough(['ls'])
  expect([piped.code, piped.stderr]).toEqual([
    1,
    `bough: ${config} is a named pipe. Put a regular file in its place, or remove it.\n`,
  ])
  rmSync(config)
  symlinkSync('/dev/zero', config)
  const device = await bough(['ls'])
  expect([device.code, device.stderr]).toEqual([1, expect.stringContaining(`${config} is a device`)])
})

test('a pipe or a device is refused as a file to import, a pipe as stdin is not', async () => {
  const { project, bough } = newWorld()
  const pipe = join(project, 'document.json')
  makePipe(pipe)
  const piped = await bough(['import', pipe])
  expect([piped.code, piped.stderr]).toEqual([1, expect.stringContaining(`bough import - < ${pipe}`)])
  expect((await bough(['import', '/dev/zero'])).stderr).toContain('/dev/zero is a device')
  const fromStdin = await bough(['import', '-'], { input: 'nothing' })
  expect(fromStdin.stderr).toContain('What came from stdin')
})
