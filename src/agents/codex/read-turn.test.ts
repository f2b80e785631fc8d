import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newHome, openForTest, turn as turnIn } from '../../../test/support/bough.ts'
import { call, msg, reasoning } from '../../../test/support/fake-openai.ts'
import { until } from '../../../test/support/until.ts'
import { newRepository } from '../../workspace/testing/ground.ts'
import { byHand, conversation, inWords, native, otherServer, said, talk } from './native-rig.ts'
import { storedTurnsReply } from './protocol.ts'
import { nativeIDIn, obey, type Respond, startRig } from './test-rig.ts'

const work: Respond = (prompt, request) => {
  const outputs = request.input.filter(({ type }) => type === 'function_call_output').length
  if (prompt === 'Work')
    return { items: [reasoning('Hm.'), msg('I look.'), call('exec_command', { cmd: 'echo one' })] }
  if (prompt === '' && outputs === 1) return { items: [call('exec_command', { cmd: 'echo two; exit 3' })] }
  if (prompt === '' && outputs === 2) return { items: [reasoning('So.'), msg('Both ran.')] }
  if (prompt === 'Fail') return { status: 400, error: { message: 'no' } }
  if (prompt === 'Slow') return { items: [msg('slow words '.repeat(200))], delayMs: 10, chunk: 3 }
  return obey(prompt, request)
}

test('what is read is what bough has stored of the same turns', async () => {
  const rig = await startRig(work)
  const home = await newHome()
  await mkdir(home.data, { recursive: true })
  await writeFile(home.config, JSON.stringify({ permissions: { allow: ['run'] } }))
  const bough = await openForTest(home, { drivers: [rig.driver] })
  const { id } = await bough.create({ agent: 'codex', directory: await newRepository() })
  for (const prompt of ['Work', 'Hello', 'Fail']) await turnIn(bough, id, prompt)
  const slow = await bough.send(id, 'Slow')
  for await (const event of slow.events) if (event.type === 'text') void bough.abort(id)
  const stored = await bough.messages(id)
  const { nativeID } = await bough.session(id)
  const { messages, model } = await native(rig).read(nativeID ?? '')

  const shape = ({ role, parts, status, nativeID }: (typeof messages)[number]) => ({
    role,
    // Codex does not keep why it was interrupted,
    parts: role === 'system' ? [] : parts,
    status,
    nativeID: nativeID ?? null,
  })
  // nor the words that were cut off by that.
  const cutOff = stored.findLastIndex(({ role }) => role === 'assistant')
  expect(messages.map(shape)).toEqual(stored.filter((_, i) => i !== cutOff).map(shape))
  const afterWork = ['user', 'assistant', 'user', 'error', 'user', 'system']
  expect(messages.map(({ role }) => role)).toEqual([
    ...['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant'],
    ...afterWork,
  ])
  expect(messages.map(({ created }) => Math.abs(created - Date.now()) < 60_000)).not.toContain(false)
  expect(messages.map(({ usage }) => usage)).toEqual(messages.map(() => null))
  expect(model).toBe('fake-model')
})

test('calls of one response are read as one message, their results as another', async () => {
  const rig = await startRig((prompt) =>
    prompt === ''
      ? { items: [msg('Both ran.')] }
      : {
          items: [
            call('exec_command', { cmd: 'sleep 0.5; echo slow' }),
            call('exec_command', { cmd: 'echo quick' }),
          ],
        },
  )
  const { nativeID } = await talk(rig, ['Go'])
  expect(await inWords(rig, nativeID)).toEqual([
    'user: text Go',
    'assistant: call run {"command":"echo quick"} | call run {"command":"sleep 0.5; echo slow"}',
    'tool: result run 0 quick\n | result run 0 slow\n',
    'assistant: text Both ran.',
  ])
})

test('a session that goes on in Codex itself is read on, and has another version', async () => {
  const rig = await startRig()
  const { nativeID, turns } = await talk(rig, ['One'])
  const before = await native(rig).version(nativeID)
  expect(await native(rig).version(nativeID)).toBe(before)
  await byHand(rig, 'resume', nativeID, 'run echo by hand')
  expect(await native(rig).version(nativeID)).not.toBe(before)
  const { messages, version } = await native(rig).read(nativeID)
  expect(version).toBe(await native(rig).version(nativeID))
  expect(messages.map(({ role, parts }) => `${role}: ${said(parts)}`)).toEqual([
    ...conversation('One'),
    'user: text run echo by hand',
    'assistant: text I run it. | call run {"command":"echo by hand"}',
    'tool: result run 0 by hand\n',
    'assistant: text That was it.',
  ])
  const entries = messages.flatMap(({ nativeID }) => nativeID ?? [])
  expect(entries).toEqual([turns[0], expect.any(String)])
})

test('instructions that Codex reads by itself are not the words of the person, prompts sent together are', async () => {
  const rig = await startRig()
  await writeFile(join(rig.cwd, 'AGENTS.md'), 'Be kind.')
  const { turn } = await rig.open({ unsent: ['Before'], systemPrompt: 'Speak slowly.' })
  const nativeID = nativeIDIn(await turn('Now'))
  expect(rig.fake.requests[0]?.raw).toContain('Be kind.')
  expect(await inWords(rig, nativeID)).toEqual([
    'user: text Before',
    'user: text Now',
    'assistant: text You said: Now',
  ])
})

test('a session that was rewound is read up to there, in another version, and cannot be forked behind', async () => {
  const rig = await startRig()
  const { nativeID, turns } = await talk(rig, ['One', 'Two', 'Three'])
  const before = await native(rig).version(nativeID)
  const server = await otherServer(rig)
  await server.request('thread/resume', { threadId: nativeID, config: { thread_unload_delay_secs: 0 } })
  await server.request('thread/revert', { threadId: nativeID, beforeTurnId: turns[1] ?? '' })
  expect(await inWords(rig, nativeID)).toEqual(conversation('One'))
  expect(await native(rig).version(nativeID)).not.toBe(before)
  const start = { kind: 'fork', nativeID, at: turns[2] ?? '' } as const
  await expect(rig.open({ start })).rejects.toMatchObject({ code: 'native_missing' })
  await expect(native(rig).command(start, rig.cwd)).rejects.toMatchObject({ code: 'native_missing' })
})

test('a turn that runs in another process is left out until it is over', async () => {
  const begun = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  const rig = await startRig(async (prompt, request) => {
    if (prompt === 'Wait') {
      begun.resolve()
      await mayEnd.promise
    }
    return obey(prompt, request)
  })
  const { nativeID } = await talk(rig, ['One'])
  const running = byHand(rig, 'resume', nativeID, 'Wait')
  await begun.promise
  const during = await native(rig).read(nativeID)
  expect(await inWords(rig, nativeID)).toEqual(conversation('One'))
  mayEnd.resolve()
  await running
  expect(await inWords(rig, nativeID)).toEqual(conversation('One', 'Wait'))
  expect(await native(rig).version(nativeID)).not.toBe(during.version)
})

test('a turn that was killed is read as interrupted once there is a next one', async () => {
  const begun = Promise.withResolvers<void>()
  const rig = await startRig((prompt, request) => {
    if (prompt !== 'Die') return obey(prompt, request)
    begun.resolve()
    return { hang: true }
  })
  const { nativeID } = await talk(rig, ['One'])
  const server = await otherServer(rig)
  await server.request('thread/resume', { threadId: nativeID })
  const input = [{ type: 'text', text: 'Die', text_elements: [] }]
  await server.request('turn/start', { threadId: nativeID, input })
  await begun.promise
  process.kill(server.pid, 'SIGKILL')
  await server.exited
  expect(await inWords(rig, nativeID)).toEqual(conversation('One'))
  await byHand(rig, 'resume', nativeID, 'Two')
  expect(await inWords(rig, nativeID)).toEqual([
    ...conversation('One'),
    'user: text Die',
    'system: notice Interrupted.',
    ...conversation('Two'),
  ])
})

test('what Codex summed up is still read, and the summary, which has no words, is not', async () => {
  const rig = await startRig()
  const { nativeID } = await talk(rig, ['One', 'Two'])
  const server = await otherServer(rig)
  await server.request('thread/resume', { threadId: nativeID })
  await server.request('thread/compact/start', { threadId: nativeID })
  await until('the summary', async () => {
    const { data } = storedTurnsReply.parse(
      await server.request('thread/turns/list', { threadId: nativeID, itemsView: 'full' }),
    )
    return data[0]?.items[0]?.type === 'contextCompaction' && data[0].status === 'completed'
  })
  await server.end()
  await byHand(rig, 'resume', nativeID, 'Three')
  expect(await inWords(rig, nativeID)).toEqual(conversation('One', 'Two', 'Three'))
})
