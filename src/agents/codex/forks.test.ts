import { expect, test } from 'vitest'
import { nativeIDIn, obey, saidIn, startRig, turnIDIn, usageIn } from './test-rig.ts'

const conversation = (...prompts: readonly string[]) =>
  prompts.flatMap((prompt) => [`user: ${prompt}`, `assistant: You said: ${prompt}`])

test.each([
  ['first', 0],
  ['middle', 1],
  ['last', 2],
])('a fork at the %s turn receives the conversation up to there and the new prompt', async (_, at) => {
  const rig = await startRig()
  const prompts = ['One', 'Two', 'Three']
  const { turn } = await rig.open()
  const turns = []
  for (const prompt of prompts) turns.push(await turn(prompt))
  const nativeID = nativeIDIn(turns[0] ?? [])

  const fork = await rig.open({ start: { kind: 'fork', nativeID, at: turnIDIn(turns[at] ?? []) } })
  const events = await fork.turn('Other')
  expect(rig.heard()).toEqual([...conversation(...prompts.slice(0, at + 1)), 'user: Other'])
  expect(nativeIDIn(events)).not.toBe(nativeID)
  expect(usageIn(events)).toHaveLength(1)

  await turn('Four')
  expect(rig.heard()).toEqual([...conversation(...prompts), 'user: Four'])
})

test('a fork of a turn that failed, or was interrupted, goes on from there', async () => {
  const rig = await startRig((prompt, request) => {
    if (prompt === 'Fail') return { status: 400, error: { message: 'no' } }
    return { ...obey(prompt, request), ...(prompt === 'Slow' && { delayMs: 20, chunk: 1 }) }
  })
  const { turn } = await rig.open()
  const failed = await turn('Fail')
  const interrupted = await turn('Slow', ({ type }) => type === 'text')
  const nativeID = nativeIDIn(failed)
  for (const [events, before] of [
    [failed, ['user: Fail']],
    [interrupted, ['user: Fail', 'user: Slow']],
  ] as const) {
    const fork = await rig.open({ start: { kind: 'fork', nativeID, at: turnIDIn(events) } })
    // What the parent has used is told again when a response is cut off, and is not the fork's.
    expect(usageIn(await fork.turn('Slow', ({ type }) => type === 'text'))).toEqual([])
    expect(usageIn(await fork.turn('Go on'))).toHaveLength(1)
    expect(rig.heard()).toEqual([...before, 'user: Slow', 'user: Go on'])
  }
})

test('a closed thread is resumed by another bough, which books nothing again', async () => {
  const rig = await startRig()
  const [one, bystander] = [await rig.open(), await rig.open()]
  const first = await one.turn('One')
  const nativeID = nativeIDIn(first)
  const start = { kind: 'resume', nativeID, at: turnIDIn(first) } as const
  const other = await rig.another()
  await expect(rig.open({ start }, other)).rejects.toThrow('in use by another program')

  await one.connection.close()
  const resumed = await rig.open({ start }, other)
  const events = await resumed.turn('Two')
  expect(rig.heard()).toEqual([...conversation('One'), 'user: Two'])
  expect(nativeIDIn(events)).toBe(nativeID)
  expect(usageIn(events)).toHaveLength(1)
  expect(saidIn(await bystander.turn('Still here?'))).toBe('You said: Still here?')
})

test('a closed thread is resumed on the same server, with its new options', async () => {
  const rig = await startRig()
  const [one] = [await rig.open(), await rig.open()]
  const first = await one.turn('One')
  await one.connection.close()
  const start = { kind: 'resume', nativeID: nativeIDIn(first), at: turnIDIn(first) } as const
  const { turn } = await rig.open({ start, model: 'other-model' })
  await turn('Two')
  expect(rig.fake.requests.at(-1)?.body.model).toBe('other-model')
})

test('a thread that Codex does not have is an error that says so', async () => {
  const rig = await startRig()
  const nativeID = '01a1e28a-4418-7a22-ae68-e6e81511cc65'
  await expect(rig.open({ start: { kind: 'resume', nativeID, at: nativeID } })).rejects.toThrow(
    'does not have this session',
  )
})
