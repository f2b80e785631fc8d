import { readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { capture, contentsOf, filesIn, newDirectory, newRepository, put } from '../testing/ground.ts'

/** Single objects in a shadow that a capture made, not shared with the person's repository. */
const looseIn = (directory: string): readonly string[] =>
  readdirSync(join(directory, 'objects'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /^[0-9a-f]{2}\/[0-9a-f]{38}$/.test(name))
    .map((name) => join(directory, 'objects', name))

test('objects that did not get to the disk before a power cut are made again', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ 'a.txt': 'a\n' })]
  await capture(data, root)
  const shared = new Set(looseIn((await capture(data, root)).shadow.directory))
  put(root, { 'b.txt': 'b\n', 'deep/c.txt': 'c'.repeat(5000) })
  const { shadow } = await capture(data, root)
  const own = looseIn(shadow.directory).filter((path) => !shared.has(path))
  expect(own.length).toBeGreaterThanOrEqual(4)
  // As a file system leaves them: empty, or cut off.
  for (const [i, path] of own.entries()) truncateSync(path, i % 2 === 0 ? 0 : 10)
  expect(() => contentsOf({ shadow, tree: '4b825dc642cb6eb9a060e54bf8d69288fbee4904' })).not.toThrow()
  writeFileSync(join(shadow.directory, 'started'), 'an earlier start')

  const again = await capture(data, root)
  expect(contentsOf(again)).toEqual(filesIn(root))
})

test('objects that were on the disk long before are not read again', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ 'a.txt': 'a\n' })]
  put(root, { 'b.txt': 'b\n' })
  const { shadow } = await capture(data, root)
  const [old = '', ...others] = looseIn(shadow.directory)
  const then = Date.now() / 1000 - 3600
  const content = readFileSync(old)
  truncateSync(old, 0)
  utimesSync(old, then, then)
  writeFileSync(join(shadow.directory, 'started'), 'an earlier start')
  await capture(data, root)
  expect(looseIn(shadow.directory)).toEqual(expect.arrayContaining([old, ...others]))
  expect(content.length).toBeGreaterThan(0)
})

test('the start of the machine is looked at once', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ 'a.txt': 'a\n' })]
  const { shadow } = await capture(data, root)
  const kept = readdirSync(join(shadow.directory, 'indexes'))
  await capture(data, root)
  expect(readdirSync(join(shadow.directory, 'indexes'))).toEqual(kept)
  expect(readFileSync(join(shadow.directory, 'started'), 'utf8')).not.toBe('')
})
