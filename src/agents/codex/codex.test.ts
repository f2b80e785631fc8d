import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { call, msg, reasoning } from '../../../test/support/fake-openai.ts'
import { until } from '../../../test/support/until.ts'
import { isRunning } from '../../process-identity.ts'
import { nativeIDIn, obey, processesWith, saidIn, shapeOf, startRig, turnIDIn, usageIn } from './test-rig.ts'

test('a turn streams what the model thinks and says, and ends with its native id', async () => {
  const rig = await startRig(() => ({ items: [reasoning('Hm.'), msg('Good morning to you.')] }))
  const { turn } = await rig.open()
  const events = await turn('Hello')
  expect(shapeOf(events)).toEqual([
    'native-session',
    'reasoning: Hm.',
    'text: Good morning to you.',
    'message-finished',
    'done',
  ])
  expect(events.filter(({ type }) => type === 'text').length).toBeGreaterThan(1)
  expect(turnIDIn(events)).not.toBe(nativeIDIn(events))
  expect(rig.heard()).toEqual(['user: Hello'])
})

test('the native session is told once, and the next turn goes on from the first', async () => {
  const rig = await startRig()
  const { turn } = await rig.open()
  await turn('One')
  expect(shapeOf(await turn('Two'))).toEqual(['text: You said: Two', 'message-finished', 'done'])
  expect(rig.heard()).toEqual(['user: One', 'assistant: You said: One', 'user: Two'])
})

test('every response of the model is a message, its results are another, and usage is on the response', async () => {
  const usages = [
    { input_tokens: 1000, input_tokens_details: { cached_tokens: 400 }, output_tokens: 7 },
    { input_tokens: 1100, input_tokens_details: { cached_tokens: 1000 }, output_tokens: 5 },
  ]
  const rig = await startRig((prompt) => {
    const usage = usages[prompt === '' ? 1 : 0] ?? {}
    if (prompt === '') return { items: [msg('Both ran.')], usage }
    const items = [
      msg('First'),
      call('exec_command', { cmd: 'echo 1' }),
      msg('and'),
      call('exec_command', { cmd: 'exit 3' }),
    ]
    return { items, usage }
  })
  const { turn } = await rig.open()
  const events = await turn('Go')
  const shape = shapeOf(events)
  // The two run side by side.
  expect([...shape.slice(0, 2), ...shape.slice(2, 4).toSorted()]).toEqual([
    'native-session',
    'text: First\n\nand',
    'call run {"command":"echo 1"}',
    'call run {"command":"exit 3"}',
  ])
  expect([...shape.slice(4, 5), ...shape.slice(5, 7).toSorted(), ...shape.slice(7)]).toEqual([
    'message-finished',
    'result run 0 1\n',
    'result run 3 ',
    'message-finished',
    'text: Both ran.',
    'message-finished',
    'done',
  ])
  expect(usageIn(events)).toEqual([
    { inputTokens: 600, outputTokens: 7, cacheReadTokens: 400, cacheWriteTokens: 0, costUSD: 0 },
    { inputTokens: 100, outputTokens: 5, cacheReadTokens: 1000, cacheWriteTokens: 0, costUSD: 0 },
  ])
})

test('what a response without words used is booked on the next', async () => {
  const rig = await startRig((prompt) => {
    const usage = { input_tokens: 100, output_tokens: 1 }
    return { items: [prompt === '' ? msg('Gone.') : call('no_such_tool', {})], usage }
  })
  const { turn } = await rig.open()
  const events = await turn('Go')
  expect(shapeOf(events)).toEqual(['native-session', 'text: Gone.', 'message-finished', 'done'])
  expect(usageIn(events)).toMatchObject([{ inputTokens: 200, outputTokens: 2 }])
})

test('a command that runs on in the background has a result that says so, and ends with the connection', async () => {
  const rig = await startRig((prompt) =>
    prompt === ''
      ? { items: [msg('It runs.')] }
      : { items: [call('exec_command', { cmd: prompt, yield_time_ms: 250 })] },
  )
  const [{ turn, connection }] = [await rig.open(), await rig.open()]
  const command = `sleep ${4_001 + process.pid}`
  expect(shapeOf(await turn(command))).toEqual([
    'native-session',
    `call run {"command":"${command}"}`,
    'message-finished',
    'result run 0 It runs on in the background.',
    'message-finished',
    'text: It runs.',
    'message-finished',
    'done',
  ])
  expect(await processesWith(command)).not.toEqual([])
  await connection.close()
  await until('the command to be gone', async () => (await processesWith(command)).length === 0)
})

test('prompts that the native history lacks go before the first one', async () => {
  const rig = await startRig()
  const { turn } = await rig.open({ unsent: ['Before', 'And'], systemPrompt: 'Speak slowly.' })
  await turn('Now')
  expect(rig.heard()).toEqual(['user: Before|And|Now'])
  expect(rig.fake.requests[0]?.raw).toContain('Speak slowly.')
  await turn('Then')
  expect(rig.heard().at(-1)).toBe('user: Then')
})

test('a thread may write in its directory, which Codex does not trust for good because of that', async () => {
  const rig = await startRig()
  const { turn } = await rig.open()
  await turn('Hello')
  expect(rig.fake.requests[0]?.raw).toContain('`sandbox_mode` is `workspace-write`')
  const config = await readFile(join(rig.env.CODEX_HOME ?? '', 'config.toml'), 'utf8')
  expect(config).not.toContain('trust_level')
})

test('threads of one process run their turns side by side', async () => {
  const bothAsked = Promise.withResolvers<void>()
  let prompts = 0
  const rig = await startRig(async (prompt, request) => {
    if (++prompts === 2) bothAsked.resolve()
    await bothAsked.promise
    return obey(prompt, request)
  })
  const [one, two] = await Promise.all([rig.open(), rig.open()])
  const [first, second] = await Promise.all([one.turn('One'), two.turn('Two')])
  expect([saidIn(first), saidIn(second)]).toEqual(['You said: One', 'You said: Two'])
  expect(nativeIDIn(first)).not.toBe(nativeIDIn(second))
  expect(one.recorded).toEqual(two.recorded)
})

test('the process is recorded by everybody before it does anything, and ends with the last connection', async () => {
  const rig = await startRig()
  await expect(
    rig.open({ recordProcess: () => Promise.reject(new Error('The store is gone.')) }),
  ).rejects.toThrow('The store is gone.')
  const [one, two] = [await rig.open(), await rig.open()]
  const [pid = 0] = one.recorded
  await one.connection.close()
  expect(isRunning(pid)).toBe(true)
  await two.connection.close()
  await until('the process to end', () => !isRunning(pid))
  const again = await rig.open()
  expect(again.recorded).not.toContain(pid)
  expect(saidIn(await again.turn('Hello'))).toBe('You said: Hello')
})
