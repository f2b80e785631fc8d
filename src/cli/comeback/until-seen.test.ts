import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { TreeEvent } from '../../tree/event.ts'
import { untilSeen } from './until-seen.ts'

const never = new AbortController().signal

/** Events that fail at once. */
const failing = {
  events: (): AsyncIterable<TreeEvent> => ({
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('It is not read any more.')) }),
  }),
}

it('events that fail during a look are told when the look is over', async () => {
  const look = async () => {
    await setImmediate()
    return null
  }
  await expect(untilSeen(failing, never, look)).rejects.toThrow('It is not read any more.')
})

it('events that fail during the look that finds something do not matter', async () => {
  const look = async () => {
    await setImmediate()
    return 'found'
  }
  expect(await untilSeen(failing, never, look)).toBe('found')
})
