import { expect, it } from 'vitest'
import { onceAtATime, soonOnce } from './soon-once.ts'

/** Work whose every round waits until it is let go on. */
function rounds() {
  const begun: PromiseWithResolvers<void>[] = []
  const work = (): Promise<void> => {
    const round = Promise.withResolvers<void>()
    begun.push(round)
    return round.promise
  }
  return { begun, work }
}

it('does once more, after it, what is asked for however often while it goes on', async () => {
  const { begun, work } = rounds()
  const run = onceAtATime(work)
  const first = run()
  await Promise.all([run(), run()])
  expect(begun).toHaveLength(1)
  begun[0]?.resolve()
  await expect.poll(() => begun.length).toBe(2)
  begun[1]?.resolve()
  await first
  expect(begun).toHaveLength(2)
})

it('tells who waits for it what failed, and does it again for who asks next', async () => {
  const { begun, work } = rounds()
  const run = onceAtATime(work)
  const first = run()
  begun[0]?.reject(new Error('a full disk'))
  await expect(first).rejects.toThrow('a full disk')
  const second = run()
  begun[1]?.resolve()
  await second
})

it('keeps to itself what failed where nobody waits for it', async () => {
  const { begun, work } = rounds()
  const run = soonOnce(work)
  run()
  begun[0]?.reject(new Error('a full disk'))
  await expect
    .poll(() => {
      run()
      return begun.length
    })
    .toBe(2)
})
