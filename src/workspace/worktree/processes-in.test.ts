import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newDirectory } from '../testing/ground.ts'
import { parseLsof, processesIn } from './processes-in.ts'

async function sleepIn(cwd: string): Promise<number> {
  const child = spawn('sleep', ['1000'], { cwd, stdio: 'ignore' })
  onTestFinished(() => void child.kill())
  await once(child, 'spawn')
  return child.pid ?? 0
}

test('processes are found in a directory and below it, by way of a link too, not beside it', async () => {
  const top = await newDirectory()
  for (const name of ['a/below', 'ab']) mkdirSync(join(top, name), { recursive: true })
  const pids = [await sleepIn(join(top, 'a')), await sleepIn(join(top, 'a/below'))]
  await sleepIn(join(top, 'ab'))
  symlinkSync(top, join(top, 'link'))
  const expected = pids.map((pid) => ({ pid, name: 'sleep' }))
  for (const path of ['a', 'link/a']) {
    const found = await processesIn(join(top, path))
    expect(found.toSorted((x, y) => x.pid - y.pid)).toEqual(expected)
  }
  expect(await processesIn(join(top, 'nothing'))).toEqual([])
})

test.runIf(process.platform === 'linux')('also when their directory was deleted', async () => {
  const directory = join(await newDirectory(), 'gone')
  mkdirSync(directory)
  const pid = await sleepIn(directory)
  rmSync(directory, { recursive: true })
  expect(await processesIn(directory)).toEqual([{ pid, name: 'sleep' }])
})

test('what lsof says is understood', async () => {
  const found = parseLsof('p12\ncsh\nfcwd\nn/a b\np345\ncnode\nfcwd\nn/c\n')
  expect(found.map(({ pid, cwd }) => [pid, cwd])).toEqual([
    [12, '/a b'],
    [345, '/c'],
  ])
  expect(await Promise.all(found.map(({ name }) => name()))).toEqual(['sh', 'node'])
  expect(parseLsof('')).toEqual([])
})
