import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { count, randomFrom, seed } from '../../../test/support/size.ts'
import { hasCode } from '../../tree/error.ts'
import { newDirectory } from '../testing/ground.ts'
import { aloneInShadow, usingShadow } from './shadow-use.ts'

const worker = fileURLToPath(new URL('../testing/shadow-worker.ts', import.meta.url))

const signs = (directory: string): readonly string[] => readdirSync(join(directory, 'use'))

/** A process that uses a shadow until it is killed. */
async function otherUser(directory: string): Promise<{ end(): Promise<void> }> {
  const child = spawn(process.execPath, [worker, 'use', directory])
  const ended = once(child, 'close')
  const end = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(end)
  await once(child.stdout, 'data')
  return { end }
}

/** Makes the only sign another's: its parts are role, pid, start, machine and a number. */
function resign(directory: string, change: (parts: readonly string[]) => readonly string[]): string {
  const [name = ''] = signs(directory)
  const changed = join(directory, 'use', change(name.split('.')).join('.'))
  renameSync(join(directory, 'use', name), changed)
  return changed
}

test('several use a shadow at once, and one tidies it alone', async () => {
  const directory = await newDirectory('shadow')
  await usingShadow(directory, () =>
    usingShadow(directory, async () => {
      expect(await aloneInShadow(directory, async () => 'alone')).toBe(null)
    }),
  )
  expect(await aloneInShadow(directory, async () => 'alone')).toBe('alone')
  expect(signs(directory)).toEqual([])
})

test('nobody tidies beside another who tidies', async () => {
  const directory = await newDirectory('shadow')
  const inner = await aloneInShadow(directory, () => aloneInShadow(directory, async () => 'two'))
  expect(inner).toBe(null)
})

test('who uses a shadow waits while somebody tidies', async () => {
  const directory = await newDirectory('shadow')
  const order: string[] = []
  const tidied = Promise.withResolvers<void>()
  const alone = aloneInShadow(directory, async () => {
    order.push('tidying')
    await tidied.promise
    order.push('tidied')
  })
  await expect.poll(() => order).toEqual(['tidying'])
  const using = usingShadow(directory, async () => void order.push('used'))
  await expect.poll(() => signs(directory).length).toBe(2)
  tidied.resolve()
  await Promise.all([alone, using])
  expect(order).toEqual(['tidying', 'tidied', 'used'])
})

test('who waits too long is told so, and leaves no sign', async () => {
  const directory = await newDirectory('shadow')
  await aloneInShadow(directory, async () => {
    const using = usingShadow(directory, async () => 'used', 50)
    await expect(using).rejects.toSatisfy((error) => hasCode(error, 'snapshot_failed'))
    expect(signs(directory)).toHaveLength(1)
  })
})

test('work that fails leaves no sign', async () => {
  const directory = await newDirectory('shadow')
  const fail = async () => {
    throw new Error('no')
  }
  await expect(usingShadow(directory, fail)).rejects.toThrow('no')
  await expect(aloneInShadow(directory, fail)).rejects.toThrow('no')
  expect(signs(directory)).toEqual([])
})

test('another process counts while it lives; killed, it does not, and its sign goes', async () => {
  const directory = await newDirectory('shadow')
  const other = await otherUser(directory)
  expect(await aloneInShadow(directory, async () => 'alone')).toBe(null)
  await other.end()
  expect(signs(directory)).toHaveLength(1)
  expect(await aloneInShadow(directory, async () => 'alone')).toBe('alone')
  expect(signs(directory)).toEqual([])
})

test('a tidier that was killed holds nobody up', async () => {
  const directory = await newDirectory('shadow')
  const other = await otherUser(directory)
  const sign = resign(directory, ([, ...who]) => ['tidier', ...who])
  await expect(usingShadow(directory, async () => 'used', 50)).rejects.toThrow()
  await other.end()
  expect(await usingShadow(directory, async () => 'used')).toBe('used')
  expect(existsSync(sign)).toBe(false)
})

test('a process that got the pid of a dead one is not taken for it', async () => {
  const directory = await newDirectory('shadow')
  await usingShadow(directory, async () => {
    resign(directory, ([role = '', pid = '', , ...rest]) => [role, pid, 'earlier', ...rest])
    expect(await aloneInShadow(directory, async () => 'alone')).toBe('alone')
  })
})

test('a process of another machine counts for an hour', async () => {
  const directory = await newDirectory('shadow')
  await usingShadow(directory, async () => {
    const sign = resign(directory, ([role = '', pid = '', start = '', , id = '']) => [
      role,
      pid,
      start,
      'elsewhere',
      id,
    ])
    expect(await aloneInShadow(directory, async () => 'alone')).toBe(null)
    const before = Date.now() / 1000 - 3_601
    utimesSync(sign, before, before)
    expect(await aloneInShadow(directory, async () => 'alone')).toBe('alone')
    expect(existsSync(sign)).toBe(false)
  })
})

test('who waits for one that removes the shadow goes on in a new one', async () => {
  const directory = await newDirectory('shadow')
  const using = Promise.withResolvers<string>()
  await aloneInShadow(directory, async () => {
    usingShadow(directory, async () => {
      expect(await aloneInShadow(directory, async () => 'alone')).toBe(null)
      return 'used'
    }).then(using.resolve, using.reject)
    await expect.poll(() => signs(directory).length).toBe(2)
    renameSync(directory, `${directory}-removed`)
  })
  expect(await using.promise).toBe('used')
  rmSync(`${directory}-removed`, { recursive: true })
  expect(signs(directory)).toEqual([])
})

test('whatever the order, nobody uses a shadow while somebody tidies it', async () => {
  const directory = await newDirectory('shadow')
  mkdirSync(join(directory, 'use'))
  const random = randomFrom(seed())
  let [users, tidiers, tidied] = [0, 0, 0]
  const use = async () => {
    users++
    expect(tidiers).toBe(0)
    for (let left = random() * 20; left > 0; left--) await turn()
    expect(tidiers).toBe(0)
    users--
  }
  const tidy = async () => {
    tidiers++
    expect([users, tidiers]).toEqual([0, 1])
    for (let left = random() * 20; left > 0; left--) await turn()
    expect([users, tidiers]).toEqual([0, 1])
    tidiers--
    tidied++
  }
  const someone = async () => {
    for (let left = count(200, 30); left > 0; left--) {
      if (random() < 0.5) await usingShadow(directory, use)
      else await aloneInShadow(directory, tidy)
      for (let idle = random() * 100; idle > 0; idle--) await turn()
    }
  }
  await Promise.all([someone(), someone(), someone()])
  expect(tidied).toBeGreaterThan(0)
  expect(signs(directory)).toEqual([])
})
