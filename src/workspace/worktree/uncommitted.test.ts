import { createHash } from 'node:crypto'
import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commitAll, newRepository, person, put } from '../testing/ground.ts'
import { captured } from '../testing/worktree-ground.ts'
import { countUncommitted } from './uncommitted.ts'

async function countIn(root: string, commit = 'HEAD'): Promise<number> {
  const { shadow, project, tree } = await captured(root)
  return countUncommitted(shadow, project, person(root, 'rev-parse', commit).trim(), tree)
}

test('files that were changed, added, deleted or given another mode are counted, ignored ones are not', async () => {
  const root = await newRepository({ '.gitignore': '*.o\n', a: '1', b: '2', c: '3', d: '4' })
  expect(await countIn(root)).toBe(0)
  put(root, { a: 'changed', 'new/file': 'x', 'new/object.o': 'x' })
  rmSync(join(root, 'b'))
  chmodSync(join(root, 'c'), 0o755)
  expect(await countIn(root)).toBe(4)
  commitAll(root)
  expect(await countIn(root)).toBe(0)
  expect(await countIn(root, 'HEAD~1')).toBe(4)
})

test('files that differ only by line ends which git converts are committed', async () => {
  const root = await newRepository({
    '.gitattributes': '* text=auto\n*.raw -text\n',
    a: 'x\ny\n',
    'b.raw': 'x\n',
    c: 'x\n',
  })
  put(root, { a: 'x\r\ny\r\n', 'b.raw': 'x\r\n', c: 'x\r\nmore\r\n' })
  expect(await countIn(root)).toBe(2)
})

test('files that git takes for binary, and line ends that were committed as they are, are not converted', async () => {
  const root = await newRepository({ binary: 'x\n\0', cr: 'x\n\r', crlf: 'x\r\n' })
  put(root, { '.gitattributes': '* text=auto\n' })
  commitAll(root)
  put(root, { binary: 'x\r\n\0', cr: 'x\r\n\r', crlf: 'x\n' })
  expect(await countIn(root)).toBe(3)
})

test('files whose pointers were committed by git-lfs are committed, as long as they are the same', async () => {
  const large = 'a large file\n'.repeat(1000)
  const hash = createHash('sha256').update(large).digest('hex')
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${hash}\nsize ${large.length}\n`
  const root = await newRepository({
    '.gitattributes': '*.bin filter=lfs -text\n',
    'a.bin': pointer,
    'b.bin': pointer,
  })
  put(root, { 'a.bin': large, 'b.bin': large.replace('large', 'LARGE') })
  expect(await countIn(root)).toBe(1)
})
