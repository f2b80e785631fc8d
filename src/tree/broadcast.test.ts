import { expect, it } from 'vitest'
import { Broadcast } from './broadcast.ts'

it('every reader gets all events from the beginning, whenever it comes and however slow it is', async () => {
  const events = new Broadcast<number>()
  const early = Array.fromAsync(events)
  const slow = (async () => {
    const seen: number[] = []
    for await (const event of events) {
      seen.push(event)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return seen
  })()
  events.emit(1)
  await new Promise((resolve) => setImmediate(resolve))
  events.emit(2)
  events.emit(3)
  events.end()
  expect(await early).toEqual([1, 2, 3])
  expect(await slow).toEqual([1, 2, 3])
  expect(await Array.fromAsync(events)).toEqual([1, 2, 3])
})

it('a reader that leaves while it waits is gone at once', async () => {
  const events = new Broadcast<number>()
  const reading = events[Symbol.asyncIterator]()
  const waiting = reading.next()
  await reading.return?.()
  expect(await waiting).toEqual({ done: true, value: undefined })
  events.emit(1)
  expect(await reading.next()).toEqual({ done: true, value: undefined })
})
