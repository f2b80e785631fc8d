import { expect, it } from 'vitest'
import { TurnLimit } from './turn-limit.ts'

const full = expect.objectContaining({ code: 'too_many_turns' })
const over = { ended: Promise.resolve() }

it('a turn has its place until it is over', async () => {
  const limit = new TurnLimit(1)
  const end = Promise.withResolvers<void>()
  await limit.begin(async () => ({ ended: end.promise }))
  await expect(limit.begin(async () => over)).rejects.toEqual(full)
  end.resolve()
  await end.promise
  await limit.begin(async () => over)
})

it('also while it begins, and one that is refused does not begin', async () => {
  const limit = new TurnLimit(1)
  const beginning = Promise.withResolvers<typeof over>()
  const first = limit.begin(() => beginning.promise)
  let hasBegun = false
  const second = limit.begin(async () => {
    hasBegun = true
    return over
  })
  await expect(second).rejects.toEqual(full)
  expect(hasBegun).toBe(false)
  beginning.resolve(over)
  await first
})

it('one that cannot begin, and one that ends badly, give their place back', async () => {
  const limit = new TurnLimit(1)
  for (let i = 0; i < 3; i++) {
    await expect(
      limit.begin(async () => {
        throw new Error('It cannot.')
      }),
    ).rejects.toThrow('It cannot.')
    const bad = Promise.reject(new Error('It failed.'))
    await limit.begin(async () => ({ ended: bad }))
    await expect(bad).rejects.toThrow('It failed.')
  }
  await limit.begin(async () => over)
})
