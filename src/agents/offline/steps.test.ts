import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { Json } from '../../tree/message.ts'
import type { Tool } from '../driver.ts'
import { openRig, resultsIn, saidIn, told } from './test-rig.ts'

const execute = promisify(execFile)

test('a step is a message with the call, then a message with its result, and callIDs are never used twice', async () => {
  const { turn, cwd } = await openRig({ history: async () => [told('Before')] })
  const events = await turn('write a.txt: hello\nrun cat a.txt')
  expect(events.slice(0, 8)).toEqual([
    { type: 'tool-call', callID: 'call_2_1', name: 'write', args: { file: 'a.txt', text: 'hello' } },
    { type: 'message-finished' },
    {
      type: 'tool-result',
      callID: 'call_2_1',
      name: 'write',
      output: 'Wrote 6 bytes to a.txt.',
      exitCode: 0,
    },
    { type: 'message-finished' },
    { type: 'tool-call', callID: 'call_2_2', name: 'run', args: { command: 'cat a.txt' } },
    { type: 'message-finished' },
    { type: 'tool-result', callID: 'call_2_2', name: 'run', output: 'hello\n', exitCode: 0 },
    { type: 'message-finished' },
  ])
  expect(saidIn(events)).toBe('Instructions done: 2 of 2.\n- write a.txt: done\n- run “cat a.txt”: done')
  expect((await turn('read a.txt'))[0]).toMatchObject({ callID: 'call_3_1' })
  expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('hello\n')
})

test('nothing is done before it is allowed, and every step but bough’s own tools asks with what it is about', async () => {
  const done: string[] = []
  const tool: Tool = {
    name: 'note',
    description: '',
    input: z.looseObject({}),
    call: async () => {
      done.push('called')
      return { output: '', exitCode: 0 }
    },
  }
  const { turn, cwd, asked } = await openRig({ tools: [tool] })
  await turn('write a: 1\nappend /dev/null/b: 2\nread a\ndelete a\nrun ls -l\ntool note {"x": 1}')
  expect(asked).toEqual([
    { callID: 'call_1_1', tool: 'write', action: 'write', detail: join(cwd, 'a'), path: join(cwd, 'a') },
    { callID: 'call_1_2', tool: 'append', action: 'write', detail: '/dev/null/b', path: '/dev/null/b' },
    { callID: 'call_1_3', tool: 'read', action: 'read', detail: join(cwd, 'a'), path: join(cwd, 'a') },
    {
      callID: 'call_1_4',
      tool: 'delete',
      action: 'write',
      detail: join(cwd, 'a'),
      path: join(cwd, 'a'),
      linkItself: true,
    },
    { callID: 'call_1_5', tool: 'run', action: 'run', detail: 'ls -l' },
  ])
  expect(done).toEqual(['called'])
})

test('a denied step is not done, says why, and the next one is still tried', async () => {
  const { turn, cwd } = await openRig({
    askPermission: async ({ tool: name }) =>
      name === 'read' ? { allow: true } : { allow: false, reason: 'not today' },
  })
  await writeFile(join(cwd, 'old'), 'kept')
  const events = await turn('write old: x\nappend old: x\ndelete old\nrun touch new\nread new\nread old')
  const denied = { output: 'Denied: not today', exitCode: 1 }
  expect(resultsIn(events)).toMatchObject([
    denied,
    denied,
    denied,
    denied,
    { output: 'read new failed: no such file or directory (ENOENT)', exitCode: 1 },
    { output: 'kept', exitCode: 0 },
  ])
  expect(saidIn(events)).toContain('- run “touch new”: denied: not today')
})

describe('files', () => {
  test('write makes the directories it needs and replaces what was there', async () => {
    const { turn, cwd } = await openRig()
    await turn('write a/b/c: old and longer\nwrite a/b/c: new')
    expect(await readFile(join(cwd, 'a/b/c'), 'utf8')).toBe('new\n')
  })

  test('append adds a line, to a new file too', async () => {
    const { turn, cwd } = await openRig()
    await turn('append log/a: one\nappend log/a: two')
    expect(await readFile(join(cwd, 'log/a'), 'utf8')).toBe('one\ntwo\n')
  })

  test('read gives the text of a file, an absolute one too', async () => {
    const { turn, cwd } = await openRig()
    const text = '\uFEFFé€🌳\n'.repeat(20_000).slice(0, 90_000)
    await writeFile(join(cwd, 'a'), text)
    expect(resultsIn(await turn(`read ${join(cwd, 'a')}`))).toMatchObject([{ output: text, exitCode: 0 }])
  })

  test('read leaves out the middle of a long file', async () => {
    const { turn, cwd } = await openRig()
    await writeFile(join(cwd, 'a'), `${'a'.repeat(50_000)}${'x'.repeat(30)}${'b'.repeat(50_000)}`)
    const [result] = resultsIn(await turn('read a'))
    expect(result?.output).toContain('a\n[… 30 characters left out …]\nb')
  })

  test.each([
    ['a NUL byte', Buffer.from([0x61, 0, 0x62])],
    ['bytes that are not UTF-8', Buffer.from([0x61, 0xff, 0x62])],
    ['half a character at the end', Buffer.from([0x61, 0x62, 0xc3])],
  ])('of a file with %s it tells the size', async (_, bytes) => {
    const { turn, cwd } = await openRig()
    await writeFile(join(cwd, 'a'), bytes)
    expect(resultsIn(await turn('read a'))).toMatchObject([
      { output: 'A binary file of 3 bytes.', exitCode: 0 },
    ])
  })

  test('delete takes away a file, and of a link only the link', async () => {
    const { turn, cwd } = await openRig()
    await mkdir(join(cwd, 'kept'))
    await symlink('kept', join(cwd, 'link'))
    await writeFile(join(cwd, 'a'), '')
    await turn('delete a\ndelete link')
    expect((await execute('ls', { cwd })).stdout).toBe('kept\n')
  })

  test.each([
    ['read dir', 'it is a directory, not a file (EISDIR)'],
    ['write dir: x', 'it is a directory, not a file (EISDIR)'],
    ['append dir: x', 'it is a directory, not a file (EISDIR)'],
    ['delete dir', 'it is a directory, not a file (EISDIR)'],
    ['delete none', 'no such file or directory (ENOENT)'],
    ['read file/below', 'not a directory (ENOTDIR)'],
    ['write file/below: x', '(ENOTDIR)'],
    [`write ${'n'.repeat(300)}: x`, '(ENAMETOOLONG)'],
    ['read pipe', 'it is not a plain file'],
    ['write pipe: x', 'it is not a plain file'],
  ])('%.20s fails in plain words', async (prompt, words) => {
    const { turn, cwd } = await openRig()
    await mkdir(join(cwd, 'dir'))
    await writeFile(join(cwd, 'file'), '')
    await execute('mkfifo', [join(cwd, 'pipe')])
    const [result] = resultsIn(await turn(prompt))
    expect(result).toMatchObject({ exitCode: 1, output: expect.stringContaining(words) })
    expect(result?.output.startsWith(prompt.slice(0, 8))).toBe(true)
  })
})

describe("bough's own tools", () => {
  const tools: readonly Tool[] = [
    {
      name: 'echo',
      description: '',
      input: z.looseObject({}),
      call: async (args) => ({ output: JSON.stringify(args), exitCode: 0 }),
    },
    {
      name: 'refuse',
      description: '',
      input: z.looseObject({}),
      call: async () => ({ output: 'no\nnever', exitCode: 3 }),
    },
    {
      name: 'break',
      description: '',
      input: z.looseObject({}),
      call: async () => Promise.reject(new Error('it broke')),
    },
  ]

  test('are called by name with their input', async () => {
    const { turn } = await openRig({ tools })
    const events = await turn('tool echo {"a": {"b": [1, null]}}')
    expect(events[0]).toMatchObject({ type: 'tool-call', name: 'echo', args: { a: { b: [1, null] } } })
    expect(resultsIn(events)).toMatchObject([{ name: 'echo', output: '{"a":{"b":[1,null]}}', exitCode: 0 }])
  })

  test('are called without asking: they ask themselves, where they must', async () => {
    const { turn } = await openRig({
      tools,
      askPermission: async () => ({ allow: false, reason: 'not today' }),
    })
    expect(resultsIn(await turn('tool echo {"a": 1}'))).toMatchObject([{ output: '{"a":1}', exitCode: 0 }])
  })

  test('may fail, which ends neither the turn nor the agent', async () => {
    const { turn } = await openRig({ tools })
    const events = await turn('tool refuse\ntool break\ntool echo')
    expect(resultsIn(events)).toMatchObject([
      { output: 'no\nnever', exitCode: 3 },
      { output: 'it broke', exitCode: 1 },
      { output: '{}', exitCode: 0 },
    ])
    expect(saidIn(events)).toContain(
      '- tool refuse: failed: no never\n- tool break: failed: it broke\n- tool echo: done',
    )
  })

  test('are not called with what they do not accept', async () => {
    const input = z.object({ count: z.number() })
    const call = async (args: Json) => ({ output: JSON.stringify(args), exitCode: 0 })
    const { turn } = await openRig({ tools: [{ name: 'count', description: '', input, call }] })
    const events = await turn('tool count {"count": "many"}\ntool count {"count": 2}')
    expect(resultsIn(events)).toMatchObject([
      { output: 'count: Invalid input: expected number, received string', exitCode: 1 },
      { output: '{"count":2}', exitCode: 0 },
    ])
  })

  test('that do not exist fail with a list of those that do, and nobody is asked', async () => {
    const { turn, asked } = await openRig({ tools })
    expect(resultsIn(await turn('tool nope {}'))).toMatchObject([
      {
        name: 'nope',
        output: 'tool nope failed: there is no such tool; there are echo, refuse, break',
        exitCode: 1,
      },
    ])
    expect(asked).toEqual([])
    const { turn: without } = await openRig()
    expect(resultsIn(await without('tool nope'))).toMatchObject([
      { output: 'tool nope failed: there is no such tool; there are none here', exitCode: 1 },
    ])
  })
})
