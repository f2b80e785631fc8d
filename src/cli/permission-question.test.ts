import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { TreeEvent } from '../tree/event.ts'
import { once, type Permission } from '../tree/permission.ts'
import { askPerson } from './permission-question.ts'

const permission: Permission = {
  ...{ id: 'per_1', sessionID: 'ses_1', turnID: 'trn_1', tool: 'run', detail: 'ls', caution: null },
  ...{ state: 'asked', scope: 'call', offers: [once], asked: 0 },
}
const never = new AbortController().signal

it('a question stands also when nobody can see any more whether it is answered elsewhere, and that is told after it', async () => {
  const given: unknown[] = []
  const bough = {
    events: (): AsyncIterable<TreeEvent> => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('It is not read any more.')) }),
    }),
    async answer(id: unknown, choice: object) {
      given.push({ id, ...choice })
      return permission
    },
  }
  const err = { line: () => {}, paint: (_: unknown, text: string) => text }
  const ask = askPerson(bough, err, async () => {
    await setImmediate()
    return 'y'
  })
  await expect(ask(permission, never)).rejects.toThrow('It is not read any more.')
  expect(given).toEqual([{ id: 'per_1', allow: true, scope: 'call' }])
})

const bough = (given: unknown[]) => ({
  async *events(): AsyncIterable<TreeEvent> {},
  async answer(_: unknown, choice: object) {
    given.push(choice)
    return permission
  },
})

it('a question is shown with all its lines, and names what each answer covers', async () => {
  const lines: string[] = []
  const given: unknown[] = []
  const err = { line: (line: string) => void lines.push(line), paint: (_: unknown, text: string) => text }
  const offers = [once, { scope: 'tool', words: 'every command this session', rule: 'run' }] as const
  const answers = ['s', 'a', 'sure', 'e']
  const asked: string[] = []
  const ask = askPerson(bough(given), err, async (text) => {
    asked.push(text)
    return answers.shift() ?? null
  })
  await ask({ ...permission, detail: 'echo a\nrm\u001b[2K \u202eb', offers }, never)
  expect(lines).toEqual([
    'The agent asks to run:',
    '  │ echo a',
    '  │ rm␛[2K \\u{202e}b',
    '  e  allow every command this session',
  ])
  expect(new Set(asked)).toEqual(new Set(['Allow it? y(es) n(o) e: ']))
  expect(given).toEqual([{ allow: true, scope: 'tool' }])
})

it('a long question comes in pages: it can be allowed after the last one, and denied on each', async () => {
  const err = { line: (line: string) => void lines.push(line), paint: (_: unknown, text: string) => text }
  const lines: string[] = []
  const detail = Array.from({ length: 70 }, (_, i) => `line ${i}`).join('\n')
  for (const [answers, choice] of [
    [['y', 'y', 'y'], { allow: true, scope: 'call' }],
    [['', 'no'], { allow: false, scope: 'call' }],
  ] as const) {
    const given: unknown[] = []
    const seen: number[] = []
    const left: string[] = [...answers]
    lines.length = 0
    const ask = askPerson(bough(given), err, async () => {
      seen.push(lines.length)
      return left.shift() ?? null
    })
    await ask({ ...permission, detail }, never)
    expect(seen).toEqual([30, 60, 71].slice(0, answers.length))
    expect(given).toEqual([choice])
  }
})
