import { expect, test } from 'vitest'
import { GivenUp } from './given-up.ts'

test('what was sent with a key can be given up until it is over', () => {
  const givenUp = new GivenUp()
  const { stop, done } = givenUp.keyed('a')
  expect([givenUp.giveUp('b'), stop.signal.aborted]).toEqual([false, false])
  expect([givenUp.giveUp('a'), stop.signal.aborted]).toEqual([true, true])
  done()
  expect(givenUp.giveUp('a')).toBe(false)
})

test('what has no key cannot be given up by one', () => {
  const givenUp = new GivenUp()
  expect([givenUp.keyed(undefined).stop.signal.aborted, givenUp.giveUp('undefined')]).toEqual([false, false])
})

test('when a key is used twice, the end of the first leaves the second alone', () => {
  const givenUp = new GivenUp()
  const first = givenUp.keyed('a')
  const second = givenUp.keyed('a')
  first.done()
  expect([givenUp.giveUp('a'), second.stop.signal.aborted]).toEqual([true, true])
})
