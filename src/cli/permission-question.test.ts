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
