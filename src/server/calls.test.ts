import { expect, test } from 'vitest'
import { Calls } from './calls.ts'

/** As much of a stream as a call needs: whether somebody still reads it. */
function newStream() {
  const reader = new AbortController()
  return { over: reader.signal, leave: () => reader.abort() }
}

test('a call is answered once, by its own answer', async () => {
  const calls = new Calls()
  const stream = newStream()
  const keys: string[] = []
  const make = () => calls.make(stream, (key) => void keys.push(key))
  const [one, two] = [make(), make()]
  expect(new Set(keys).size).toBe(2)
  calls.answer(keys[1] ?? '', { externalID: 'second' })
  calls.answer(keys[0] ?? '', {})
  expect([await one, await two]).toEqual([{}, { externalID: 'second' }])
  expect(() => calls.answer(keys[0] ?? '', {})).toThrow(expect.objectContaining({ code: 'not_found' }))
})

test('a call rejects with what its reader says when that could not do it', async () => {
  const calls = new Calls()
  const made = calls.make(newStream(), (key) => calls.answer(key, { failed: 'The chat is full.' }))
  await expect(made).rejects.toMatchObject({ code: 'closed', message: 'The chat is full.' })
})

test('a call rejects when its reader leaves, or has left before it was made', async () => {
  const calls = new Calls()
  const stream = newStream()
  const keys: string[] = []
  const made = calls.make(stream, (key) => void keys.push(key))
  stream.leave()
  await expect(made).rejects.toMatchObject({ code: 'closed' })
  await expect(calls.make(stream, (key) => void keys.push(key))).rejects.toMatchObject({ code: 'closed' })
  for (const key of keys)
    expect(() => calls.answer(key, {})).toThrow(expect.objectContaining({ code: 'not_found' }))
})
