import { execFile } from 'node:child_process'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { pause } from './interruptible.ts'
import { interrupted, openRig, resultsIn, saidIn } from './test-rig.ts'

const announced = (callID: string) => [
  expect.objectContaining({ type: 'tool-call', callID }),
  { type: 'message-finished' },
]

test('a turn that is interrupted before it begins does nothing, but it was told', async () => {
  const { connection, turn, cwd } = await openRig()
  expect(await Array.fromAsync(connection.send('write a: 1', AbortSignal.abort()))).toEqual([interrupted])
  expect(await readdir(cwd)).toEqual([])
  expect(saidIn(await turn('And now?'))).toContain('This is turn 2')
})

test('an interruption ends a sleep at once', async () => {
  const controller = new AbortController()
  const { connection } = await openRig(
    {},
    {
      sleep: (milliseconds, signal) => {
        queueMicrotask(() => controller.abort())
        return pause(milliseconds, signal)
      },
    },
  )
  expect(await Array.fromAsync(connection.send('sleep 3600\nwords 1', controller.signal))).toEqual([
    interrupted,
  ])
})

test('an interruption stops the words where they are, also with no pause between them', async () => {
  const { turn } = await openRig()
  const events = await turn('words 1000000', (event) => event.type === 'text' && event.text === ' leaf')
  expect(events).toEqual([
    { type: 'text', text: 'bark' },
    { type: 'text', text: ' twig' },
    { type: 'text', text: ' leaf' },
    interrupted,
  ])
})

test('an interruption from outside arrives between words that have no pause', async () => {
  const { connection } = await openRig()
  const controller = new AbortController()
  setImmediate(() => controller.abort())
  const events = await Array.fromAsync(connection.send('words 1000000', controller.signal))
  expect(events.at(-1)).toEqual(interrupted)
})

test('an interruption ends the wait for a permission, and nothing is done', async () => {
  const controller = new AbortController()
  const { connection, cwd } = await openRig({
    askPermission: () => {
      queueMicrotask(() => controller.abort())
      return new Promise(() => {})
    },
  })
  const events = await Array.fromAsync(connection.send('write a: 1\nwrite b: 2', controller.signal))
  expect(events).toEqual([...announced('call_1_1'), interrupted])
  expect(await readdir(cwd)).toEqual([])
})

test('the permission asked for learns of the interruption', async () => {
  const controller = new AbortController()
  const { connection, cwd } = await openRig({
    askPermission: (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ allow: true }))
        controller.abort()
      }),
  })
  const events = await Array.fromAsync(connection.send('write a: 1', controller.signal))
  expect(events).toEqual([...announced('call_1_1'), interrupted])
  expect(await readdir(cwd)).toEqual([])
})

test('an interruption while a command waits to be recorded means that it never runs', async () => {
  const controller = new AbortController()
  const recorded: number[] = []
  const { connection, cwd } = await openRig({
    recordProcess: (pid) => {
      recorded.push(pid)
      queueMicrotask(() => controller.abort())
      return new Promise(() => {})
    },
  })
  const events = await Array.fromAsync(connection.send('run touch ran', controller.signal))
  expect(events).toEqual([...announced('call_1_1'), interrupted])
  expect(await readdir(cwd)).toEqual([])
  expect(() => process.kill(recorded[0] ?? 0, 0)).toThrow('ESRCH')
})

test('an interruption kills a running command with all its processes', async () => {
  const controller = new AbortController()
  const { connection, cwd } = await openRig()
  const path = join(cwd, 'alive')
  await promisify(execFile)('mkfifo', [path])
  const turn = Array.fromAsync(
    connection.send(
      'run sh -c "trap : TERM INT; sleep 1000 > alive" & wait\nwrite next: x',
      controller.signal,
    ),
  )
  // A pipe needs no sleep: it opens only once the grandchild writes to it, and ends only when no process is left.
  const alive = await open(path)
  onTestFinished(() => alive.close())
  controller.abort()
  expect(await turn).toEqual([...announced('call_1_1'), interrupted])
  expect(await alive.readFile('utf8')).toBe('')
  expect(await readdir(cwd)).toEqual(['alive'])
})

test("an interruption does not wait for one of bough's tools", async () => {
  const controller = new AbortController()
  const call = () => {
    queueMicrotask(() => controller.abort())
    return new Promise<never>(() => {})
  }
  const { connection } = await openRig({
    tools: [{ name: 'hang', description: '', input: z.object({}), call }],
  })
  const events = await Array.fromAsync(connection.send('tool hang', controller.signal))
  expect(events).toEqual([...announced('call_1_1'), interrupted])
})

test.each(['tool-call', 'tool-result'])(
  'after an interruption at a %s nothing more is done',
  async (type) => {
    const { turn, cwd } = await openRig()
    const events = await turn('read a\nwrite b: 1', (event) => event.type === type)
    expect(events.at(-1)).toEqual(interrupted)
    expect(resultsIn(events)).toHaveLength(type === 'tool-call' ? 0 : 1)
    expect(await readdir(cwd)).toEqual([])
  },
)
