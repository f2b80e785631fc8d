import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesIn, newDirectory } from '../testing/ground.ts'
import { processesIn } from './processes-in.ts'
import { runSetUp } from './set-up.ts'

const never = new AbortController().signal
const quiet = { signal: never, onOutput: () => {} }

test('the command runs in the worktree, with the variables it is given', async () => {
  const directory = await newDirectory()
  const end = await runSetUp('pwd; echo "$WHO" > file', directory, { ...quiet, env: { WHO: 'Ann' } })
  expect(end).toEqual({ exitCode: 0, tail: `${directory}\n` })
  expect(filesIn(directory)).toEqual({ file: '100644 Ann\n' })
})

test('its output is passed on as it comes, both streams in their order', async () => {
  const directory = await newDirectory()
  const pieces: string[] = []
  let passedOn = false
  const command = 'echo one; while [ ! -e go ]; do sleep 0.01; done; echo two >&2; echo three'
  const end = await runSetUp(command, directory, {
    signal: never,
    onOutput(text) {
      pieces.push(text)
      if (!passedOn) void runSetUp('touch go', directory, quiet)
      passedOn = true
    },
  })
  expect(pieces[0]).toBe('one\n')
  expect(pieces.join('')).toBe('one\ntwo\nthree\n')
  expect(end.tail).toBe('one\ntwo\nthree\n')
})

test('a failure gives its exit code and the end of its output, in whole lines', async () => {
  const command = 'i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i+1)); done; echo last >&2; exit 3'
  const { exitCode, tail } = await runSetUp(command, await newDirectory(), quiet)
  expect(exitCode).toBe(3)
  expect(tail.length).toBeLessThanOrEqual(2000)
  expect(tail).toMatch(/^line \d+\n(.*\n)*line 1999\nlast\n$/)
  expect((await runSetUp('kill -9 $$', await newDirectory(), quiet)).exitCode).toBe(137)
  expect((await runSetUp('no-such-program-at-all', await newDirectory(), quiet)).exitCode).toBe(127)
})

test('aborting ends all that it has started', async () => {
  const directory = await newDirectory()
  const aborting = new AbortController()
  const running = runSetUp(
    'trap "" TERM INT; sleep 1000 & sh -c "echo started; sleep 1000"; touch after',
    directory,
    {
      signal: aborting.signal,
      onOutput: () => aborting.abort(new Error('given up')),
    },
  )
  await expect(running).rejects.toThrow('given up')
  await expect.poll(() => processesIn(directory)).toEqual([])
  expect(existsSync(join(directory, 'after'))).toBe(false)
  await expect(runSetUp('touch after', directory, { ...quiet, signal: aborting.signal })).rejects.toThrow(
    'given up',
  )
  expect(existsSync(join(directory, 'after'))).toBe(false)
})

test('what it leaves in the background ends with it', async () => {
  const directory = await newDirectory()
  expect(await runSetUp('sleep 1000 & echo done', directory, quiet)).toEqual({ exitCode: 0, tail: 'done\n' })
  await expect.poll(() => processesIn(directory)).toEqual([])
})

test('a directory that is gone is said so', async () => {
  await expect(runSetUp('true', join(await newDirectory(), 'gone'), quiet)).rejects.toMatchObject({
    code: 'worktree_failed',
  })
})
