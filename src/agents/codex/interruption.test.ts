import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { msg } from '../../../test/support/fake-openai.ts'
import { until } from '../../../test/support/until.ts'
import type { AgentEvent } from '../driver.ts'
import { obey, processesWith, type Rig, saidIn, shapeOf, startRig, turnIDIn, usageIn } from './test-rig.ts'

const longText = 'abcdefgh '.repeat(200)

const startSlowRig = (delayMs = 10) =>
  startRig((prompt, request) =>
    prompt === 'Talk' ? { items: [msg(longText)], delayMs } : obey(prompt, request),
  )

/** A command that leaves a mark when it runs, and sleeps for a time that only this test knows. */
const sleepFor = (seconds: number) => `touch mark; sleep ${seconds}`

const whenMarked = (rig: Rig) => until('the command to run', () => existsSync(join(rig.cwd, 'mark')))

test('an interruption in the middle of a text ends the turn, and the thread goes on', async () => {
  const rig = await startSlowRig()
  const { turn } = await rig.open()
  await turn('Hello')
  const events = await turn('Talk', (event) => event.type === 'text')
  expect(events.at(-1)).toMatchObject({ type: 'turn-finished', reason: 'interrupted' })
  expect(saidIn(events).length).toBeLessThan(longText.length)
  expect(usageIn(events)).toEqual([])
  await until('the request to be broken off', () => rig.fake.requests.at(-1)?.aborted)
  expect(saidIn(await turn('Now?'))).toBe('You said: Now?')
  expect(rig.heard()).toEqual(['user: Hello', 'assistant: You said: Hello', 'user: Talk', 'user: Now?'])
})

test('a turn that is interrupted before it begins does nothing, but it was told', async () => {
  const rig = await startSlowRig(1_000)
  const { connection, turn } = await rig.open()
  const events: AgentEvent[] = await Array.fromAsync(connection.send('Talk', AbortSignal.abort()))
  expect(shapeOf(events)).toEqual(['native-session', 'interrupted'])
  expect(turnIDIn(events)).not.toBe('')
  await turn('Now?')
  expect(rig.heard()).toEqual(['user: Talk', 'user: Now?'])
})

test('an interruption in the middle of a command ends it, and leaves nothing running', async () => {
  const rig = await startSlowRig()
  const { connection } = await rig.open()
  const controller = new AbortController()
  const seconds = 3_001 + process.pid
  const running = Array.fromAsync(connection.send(`run ${sleepFor(seconds)}`, controller.signal))
  await whenMarked(rig)
  controller.abort()
  const events = await running
  expect(shapeOf(events)).toEqual([
    'native-session',
    'text: I run it.',
    `call run {"command":"touch mark; sleep ${seconds}"}`,
    'message-finished',
    'interrupted',
  ])
  await until('the command to be gone', async () => (await processesWith(`sleep ${seconds}`)).length === 0)
})

test('an interruption while a question is open ends the turn, and the question', async () => {
  const rig = await startSlowRig()
  const controller = new AbortController()
  const { connection } = await rig.open({
    askPermission: (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ allow: false, reason: 'interrupted' }))
        controller.abort()
      }),
  })
  const events = await Array.fromAsync(connection.send('run touch mark', controller.signal))
  expect(events.at(-1)).toMatchObject({ type: 'turn-finished', reason: 'interrupted' })
})

test('closing a connection in the middle of a command ends it, and leaves nothing running', async () => {
  const rig = await startSlowRig()
  const { connection } = await rig.open()
  const seconds = 3_002 + process.pid
  const running = Array.fromAsync(connection.send(`run ${sleepFor(seconds)}`, new AbortController().signal))
  await whenMarked(rig)
  await connection.close()
  expect((await running).at(-1)).toMatchObject({ type: 'turn-finished', reason: 'interrupted' })
  // Its sandbox takes a moment to go.
  await until('nothing to run', async () => (await processesWith(`sleep ${seconds}`)).length === 0)
})

test('a reader who goes away interrupts the turn', async () => {
  const rig = await startSlowRig()
  const { connection } = await rig.open()
  for await (const event of connection.send('Talk', new AbortController().signal)) {
    if (event.type === 'text') break
  }
  await until('the request to be broken off', () => rig.fake.requests.at(-1)?.aborted)
})
