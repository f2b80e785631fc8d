import { expect, test } from 'vitest'
import { createOfflineDriver } from './offline.ts'
import { lineOf, messageOf, openRig, saidIn, told, usageIn } from './test-rig.ts'

test('it is ready at once and says that it is no model', async () => {
  const driver = createOfflineDriver()
  expect(driver.name).toBe('offline')
  expect(driver.capabilities).toEqual({ history: 'line' })
  expect(await driver.check()).toMatchObject({ ready: true, detail: expect.stringContaining('no model') })
})

test('to the first prompt of a line it answers who it is, the number of the turn and what it was told', async () => {
  const { turn } = await openRig()
  const events = await turn('Hello\nyou there')
  expect(saidIn(events)).toBe(
    "I am bough's offline agent: no model, just plain instructions and a memory.\n\n" +
      'This is turn 1 on this line. You just told me: “Hello you there”. You told me nothing before.',
  )
  expect(events.filter((event) => event.type === 'text').length).toBeGreaterThan(1)
  expect(events.slice(-2).map((event) => event.type)).toEqual(['message-finished', 'turn-finished'])
})

test('it recalls its own turns on this connection', async () => {
  const { turn } = await openRig()
  await turn('My name is Ada')
  expect(saidIn(await turn('Who am I?'))).toBe(
    'This is turn 2 on this line. You just told me: “Who am I?”.\n' +
      'Before that you told me, oldest first:\n1. “My name is Ada”',
  )
})

test('it recalls the line that it was opened with, and of it only what the person said', async () => {
  const line = [
    messageOf('user', { type: 'context', text: 'Updates: none' }, { type: 'text', text: 'First' }),
    messageOf('assistant', { type: 'text', text: 'An answer' }),
    messageOf('system', { type: 'notice', text: 'A fork was made' }),
    told('Second'),
  ]
  const { turn } = await openRig({ history: async () => line })
  expect(saidIn(await turn('Third'))).toBe(
    'This is turn 3 on this line. You just told me: “Third”.\n' +
      'Before that you told me, oldest first:\n1. “First”\n2. “Second”',
  )
})

test('it recalls the last five prompts and says how many came earlier', async () => {
  const { turn } = await openRig({ history: async () => ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(told) })
  const said = saidIn(await turn('h'))
  expect(said).toContain('This is turn 8')
  expect(said).toContain('oldest first (and 2 earlier):\n3. “c”\n4. “d”\n5. “e”\n6. “f”\n7. “g”')
  expect(said).not.toContain('“b”')
})

test('a prompt of blank lines is answered too', async () => {
  const { turn } = await openRig()
  expect(saidIn(await turn(' \n\n'))).toContain('This is turn 1 on this line. You just told me: nothing.')
})

test('a mixed prompt has an account of the instructions and an answer to the rest', async () => {
  const { turn } = await openRig({ history: async () => [told('Hello')] })
  expect(saidIn(await turn('write a: 1\nand now?\nsleep soon\nread b\nthanks'))).toBe(
    'Instructions done: 1 of 3.\n' +
      '- write a: done\n' +
      '- “sleep soon”: not done: it should be "sleep SECONDS", with a number from 0 to 86400\n' +
      '- read b: failed: no such file or directory (ENOENT)\n\n' +
      'This is turn 2 on this line. You just told me: “and now? thanks”.\n' +
      'Before that you told me, oldest first:\n1. “Hello”',
  )
})

test('words are said one at a time, a pace apart, before the account', async () => {
  const paces: number[] = []
  const sleep = async (milliseconds: number) => void paces.push(milliseconds)
  const { turn } = await openRig({ history: async () => [told('Hello')] }, { pace: 7, sleep })
  const texts = (await turn('words 3')).flatMap((event) => (event.type === 'text' ? [event.text] : []))
  expect(texts.slice(0, 3)).toEqual(['bark', ' twig', ' leaf'])
  expect(texts.slice(3).join('')).toBe('\n\nInstructions done: 1 of 1.\n- words 3: done')
  expect(paces).toEqual(texts.slice(1).map(() => 7))
})

test('words before a step are in the message of its call, and the answer begins anew', async () => {
  const { turn } = await openRig({ history: async () => [told('Hello')] })
  const prompt = 'words 2\nwrite a: 1'
  expect(lineOf(prompt, await turn(prompt)).map(({ role, text }) => [role, text])).toEqual([
    ['user', prompt],
    ['assistant', 'bark twig'],
    ['tool', ''],
    ['assistant', 'Instructions done: 2 of 2.\n- words 2: done\n- write a: done'],
  ])
})

test('it sleeps where the prompt says so', async () => {
  const order: unknown[] = []
  const { turn } = await openRig(
    {},
    { pace: 0, sleep: async (milliseconds) => void order.push(milliseconds) },
  )
  await turn('write a: 1\nsleep 2.5\nwrite b: 2', (event) => {
    if (event.type === 'tool-call') order.push(event.callID)
    return false
  })
  expect(order.slice(0, 3)).toEqual(['call_1_1', 2500, 'call_1_2'])
})

test('fail ends the turn with its error; what was said before it stays and nothing comes after it', async () => {
  const { turn } = await openRig()
  const events = await turn('words 2\nfail out of luck\nwrite a: 1')
  expect(events).toEqual([
    { type: 'text', text: 'bark' },
    { type: 'text', text: ' twig' },
    { type: 'error', message: 'out of luck' },
  ])
  expect(saidIn(await turn('And now?'))).toContain('This is turn 2')
})

test('usage counts the words given and the words said, once, on the last message', async () => {
  const line = [
    messageOf('user', { type: 'context', text: 'one two' }, { type: 'text', text: 'three' }),
    messageOf('assistant', { type: 'text', text: 'four' }),
    messageOf('system', { type: 'notice', text: 'not given' }),
  ]
  const { turn } = await openRig({ history: async () => line })
  const first = await turn('write a: x\nread a')
  // The line and the prompt are 4 + 5 words, the results "Wrote 2 bytes to a." and "x" are 6.
  const said = saidIn(first).split(/\s+/).length
  const spent = { cacheReadTokens: 0, cacheWriteTokens: 0, costUSD: 0 }
  expect(usageIn(first)).toEqual([{ inputTokens: 15, outputTokens: said, ...spent }])
  expect(first.at(-2)).toHaveProperty('usage')
  expect(usageIn(await turn('more words'))).toMatchObject([{ inputTokens: 15 + said + 2 }])
})

test('the same line and prompt have the same events', async () => {
  const prompt = 'Hello\nwrite a/b: 1\nread a/b\nread none\nwords 4\nrun echo hi\ntool none {}'
  const line = [told('Before')]
  const [one, other] = await Promise.all([
    openRig({ history: async () => line }),
    openRig({ history: async () => line, start: { kind: 'resume', at: 'x', nativeID: 'x' } }),
  ])
  expect(await one.turn(prompt)).toEqual(await other.turn(prompt))
})

test('a connection that was opened again answers like the one that stayed open', async () => {
  const stayed = await openRig()
  const prompt = 'Hello\nwords 4\nwrite a: some text\nread a'
  const first = await stayed.turn(prompt)
  const reopened = await openRig({ cwd: stayed.cwd, history: async () => lineOf(prompt, first) })
  expect(await reopened.turn('read a\nAnd now?')).toEqual(await stayed.turn('read a\nAnd now?'))
})
