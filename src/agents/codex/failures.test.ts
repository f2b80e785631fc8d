import { expect, test } from 'vitest'
import { msg, type Reply } from '../../../test/support/fake-openai.ts'
import { nativeIDIn, obey, saidIn, shapeOf, startRig, turnIDIn } from './test-rig.ts'

const failing: readonly { readonly reply: Reply; readonly words: RegExp }[] = [
  {
    reply: { status: 429, error: { message: 'Slow down' } },
    words: /answered 429 Too Many Requests\. Wait a little, then try again\.$/,
  },
  {
    reply: { status: 500, error: { message: 'Oops' } },
    words: /\. Wait a little, then try again\.$/,
  },
  {
    reply: { status: 503, error: { message: 'Too many people' } },
    words: /answered 503 Service Unavailable: Too many people\. Wait a little, then try again\.$/,
  },
  {
    reply: { status: 401, error: { message: 'Who are you' } },
    words: /answered 401 Unauthorized: Who are you\. Sign in: codex login$/,
  },
  {
    reply: { status: 400, error: { message: 'That is no model' } },
    words: /^That is no model\. Trying the same again will not help\.$/,
  },
  {
    reply: { garbage: 'data: {{{\n\n' },
    words: /^The answer of the model broke off: .* Try again\.$/,
  },
  { reply: { garbage: '' }, words: /^The answer of the model broke off: .* Try again\.$/ },
]

test('a model API that fails ends the turn with a clear error, and the thread goes on', async () => {
  const rig = await startRig((prompt, request) => failing[Number(prompt)]?.reply ?? obey(prompt, request))
  const { turn } = await rig.open()
  for (const [i, { words }] of failing.entries()) {
    expect((await turn(`${i}`)).at(-1)).toEqual({
      type: 'error',
      message: expect.stringMatching(words),
      nativeID: expect.any(String),
    })
    expect(saidIn(await turn(`After ${i}`))).toBe(`You said: After ${i}`)
    expect(rig.heard().slice(-2)).toEqual([`user: ${i}`, `user: After ${i}`])
  }
})

test('a model that stops in the middle of what it says ends the turn with a clear error', async () => {
  const rig = await startRig(
    (prompt, request) =>
      prompt === 'Talk' ? { items: [msg('abcdefgh'.repeat(9))], delayMs: 60_000 } : obey(prompt, request),
    'stream_idle_timeout_ms = 300',
  )
  const { turn } = await rig.open()
  const events = await turn('Talk')
  expect(events.at(-1)).toMatchObject({ type: 'error' })
  expect(saidIn(await turn('Again'))).toBe('You said: Again')
})

test('a model that never answers is interrupted', async () => {
  const rig = await startRig((prompt, request) =>
    prompt === 'Hang' ? { hang: true } : obey(prompt, request),
  )
  const { turn } = await rig.open()
  const events = await turn('Hang', ({ type }) => type === 'native-session')
  expect(shapeOf(events)).toEqual(['native-session', 'interrupted'])
  expect(saidIn(await turn('Again'))).toBe('You said: Again')
})

/** The events of a response that breaks off in the middle of a text. */
const brokenOff = [
  { type: 'response.created', response: { id: 'resp_1' } },
  { type: 'response.output_item.added', item: { ...msg(''), content: [] } },
  { type: 'response.output_text.delta', delta: 'You s' },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('')

test('an answer that breaks off is tried again, which is told, and is a message of its own', async () => {
  let tries = 0
  const rig = await startRig((prompt, request) =>
    tries++ === 0 ? { garbage: brokenOff } : obey(prompt, request),
  )
  await rig.configure('stream_max_retries = 0', 'stream_max_retries = 1')
  const { turn } = await rig.open()
  const events = await turn('Hello')
  expect(shapeOf(events)).toEqual([
    'native-session',
    'text: You s',
    'message-finished',
    'notice',
    'text: You said: Hello',
    'message-finished',
    'done',
  ])
  const finished = events.filter(({ type }) => type === 'message-finished')
  expect(finished).toEqual([
    { type: 'message-finished', interrupted: true },
    { type: 'message-finished', usage: expect.anything() },
  ])
  expect(events.find(({ type }) => type === 'notice')).toEqual({
    type: 'notice',
    text: expect.stringMatching(/broke off: .* Codex tries again \(1\/1\)\.$/),
  })
})

test('a server that is killed in the middle of a turn is an error, and the next connection starts a new one', async () => {
  const rig = await startRig((prompt, request) =>
    prompt === 'Talk' ? { items: [msg('abcdefgh'.repeat(99))], delayMs: 10 } : obey(prompt, request),
  )
  const { turn, recorded, connection } = await rig.open()
  const [pid = 0] = recorded
  const first = await turn('Hello')
  const events = await turn('Talk', (event) => {
    if (event.type === 'text') process.kill(pid, 'SIGKILL')
    return false
  })
  expect(events.at(-1)).toEqual({
    type: 'error',
    message: expect.stringMatching(/^Codex ended unexpectedly \(it was ended by SIGKILL\)/),
  })
  await connection.close()
  const start = { kind: 'resume', nativeID: nativeIDIn(first), at: turnIDIn(first) } as const
  const again = await rig.open({ start, unsent: ['Talk', 'Never sent'] })
  expect(again.recorded).not.toContain(pid)
  expect(saidIn(await again.turn('Now?'))).toBe('You said: Now?')
  expect(rig.heard().slice(2)).toEqual(['user: Talk', 'user: Never sent|Now?'])
})

test('where the turn that is known last is not there any more, prompts are said again, though others were the same', async () => {
  const rig = await startRig(obey)
  const { turn, connection } = await rig.open()
  const first = await turn('Go on')
  await connection.close()
  const start = { kind: 'resume', nativeID: nativeIDIn(first), at: 'taken back there' } as const
  const again = await rig.open({ start, unsent: ['Go on'] })
  await again.turn('Now?')
  expect(rig.heard().at(-1)).toBe('user: Go on|Now?')
})
