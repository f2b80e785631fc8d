import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { untilCutOff } from './cut-off.ts'
import { eachUnless } from './each-unless.ts'

test('each is waited for until the other is over, and none after that', async () => {
  const over = Promise.withResolvers<'over'>()
  const unlessOver = eachUnless(over.promise)
  expect(await unlessOver(Promise.resolve(1))).toBe(1)
  await expect(unlessOver(Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  const never = unlessOver(Promise.withResolvers<number>().promise)
  over.resolve('over')
  expect(await never).toBe('over')
  expect(await unlessOver(Promise.reject(new Error('too late')))).toBe('over')
})

test('a turn of many words takes no more memory for waiting than one of few, though it may still be cut off', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const heap = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  async function* words() {
    for (let i = 0; i < 50_000; i++) yield i
  }
  const before = heap()
  let after = 0
  for await (const i of untilCutOff(words(), Promise.withResolvers<null>().promise)) {
    if (i === 49_999) after = heap()
  }
  expect(after - before).toBeLessThan(3_000_000)
})
