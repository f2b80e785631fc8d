import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { capture, contentsOf, newDirectory, newRepository, person, put } from '../testing/ground.ts'

// Whatever stands in the place of a file that git or bough reads, a capture ends soon and names it.

const makePipe = (path: string): void => void execFileSync('mkfifo', [path])
const makeEndless = (path: string): void => symlinkSync('/dev/zero', path)
const makeHuge = (path: string): void => {
  writeFileSync(path, '')
  truncateSync(path, 10 * 2 ** 30)
}

function replace(path: string, make: (path: string) => void): void {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(dirname(path), { recursive: true })
  make(path)
}

const places = {
  '.git': (root: string) => join(root, '.git'),
  '.git/HEAD': (root: string) => join(root, '.git/HEAD'),
  '.git/index': (root: string) => join(root, '.git/index'),
  '.git/config': (root: string) => join(root, '.git/config'),
  '.git/packed-refs': (root: string) => join(root, '.git/packed-refs'),
  '.git/info/exclude': (root: string) => join(root, '.git/info/exclude'),
  '.git/info/attributes': (root: string) => join(root, '.git/info/attributes'),
  'the branch': (root: string) => join(root, '.git/refs/heads/main'),
  '.gitignore': (root: string) => join(root, '.gitignore'),
  '.gitattributes': (root: string) => join(root, '.gitattributes'),
  'core.excludesFile': (root: string) => {
    person(root, 'config', 'core.excludesFile', join(root, '.git/excluded'))
    return join(root, '.git/excluded')
  },
  'an include.path': (root: string) => {
    person(root, 'config', 'include.path', 'included')
    return join(root, '.git/included')
  },
  '~/.config/git/ignore': () => join(homedir(), '.config/git/ignore'),
}

test.each(Object.entries(places))(
  'a pipe or endless data in place of %s ends a capture with its name',
  async (_, placeIn) => {
    const [data, root] = [await newDirectory('data'), await newRepository({ 'a.txt': 'a' })]
    await capture(data, root)
    const path = placeIn(root)
    onTestFinished(() => rmSync(path, { recursive: true, force: true }))
    for (const make of [makePipe, makeEndless, makeHuge]) {
      replace(path, make)
      const refused = { code: 'file_unreadable', message: expect.stringContaining(path) }
      await expect(capture(data, root)).rejects.toMatchObject(refused)
    }
  },
)

test('a list of rules deep in a project that is a pipe ends a capture with its name', async () => {
  for (const name of ['.gitignore', '.gitattributes']) {
    const [data, root] = [await newDirectory('data'), await newRepository({ 'a/b/c.txt': 'c' })]
    await capture(data, root)
    put(root, { 'a/b/c.txt': 'changed' })
    makePipe(join(root, 'a/b', name))
    // git reads attributes only where it reads a file, which a small capture does itself.
    if (name === '.gitattributes') put(root, { 'a/b/large': Buffer.alloc(2 ** 21) })
    await expect(capture(data, root)).rejects.toMatchObject({
      code: 'file_unreadable',
      message: expect.stringContaining(join(root, 'a/b', name)),
    })
  }
})

test('pipes, sockets and devices among the files of a project are left out', async () => {
  const [data, root] = [await newDirectory('data'), await newRepository({ 'a.txt': 'a', 'b.txt': 'b' })]
  await capture(data, root)
  const socket = createServer().listen(join(root, 'socket'))
  onTestFinished(() => void socket.close())
  makePipe(join(root, 'pipe'))
  replace(join(root, 'b.txt'), makePipe)
  makeEndless(join(root, 'zero'))
  const captured = await capture(data, root)
  // Of a file that became a pipe, the last content is kept.
  const kept = { 'a.txt': '100644 a', 'b.txt': '100644 b', zero: '120000 /dev/zero' }
  expect(contentsOf(captured)).toEqual(kept)
  expect(captured.missing).toEqual([{ path: 'b.txt', why: 'changing' }])
})
