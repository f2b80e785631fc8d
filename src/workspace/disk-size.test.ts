import { linkSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { diskSize } from './disk-size.ts'
import { newDirectory, put } from './testing/ground.ts'

const blocks = (...paths: readonly string[]): number =>
  paths.reduce((sum, path) => sum + lstatSync(path).blocks * 512, 0)

test('a directory takes what everything below it takes, in whole blocks', async () => {
  const root = await newDirectory()
  put(root, { a: 'x', 'd/e/b': 'y'.repeat(10_000) })
  const all = ['', 'a', 'd', 'd/e', 'd/e/b'].map((path) => join(root, path))
  expect(await diskSize(root)).toBe(blocks(...all))
  expect(await diskSize(join(root, 'd/e/b'))).toBe(blocks(join(root, 'd/e/b')))
  expect(blocks(join(root, 'd/e/b'))).toBeGreaterThanOrEqual(10_000)
})

test('a file with two names below a path counts once, and not at all when one is elsewhere', async () => {
  const [root, elsewhere] = [await newDirectory(), await newDirectory()]
  mkdirSync(join(root, 'd'))
  const empty = await diskSize(root)
  put(root, { twice: 'x'.repeat(5_000), shared: 'y'.repeat(9_000) })
  linkSync(join(root, 'twice'), join(root, 'd/twice'))
  linkSync(join(root, 'shared'), join(elsewhere, 'shared'))
  expect((await diskSize(root)) - empty).toBe(blocks(join(root, 'twice')))
})

test('links are not followed, and what is not there takes nothing', async () => {
  const [root, elsewhere] = [await newDirectory(), await newDirectory()]
  put(elsewhere, { large: 'x'.repeat(100_000) })
  symlinkSync(elsewhere, join(root, 'link'))
  expect(await diskSize(root)).toBeLessThan(50_000)
  expect(await diskSize(join(root, 'nothing'))).toBe(0)
})
