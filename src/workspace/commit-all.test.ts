import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { commitAll } from './commit-all.ts'
import { newDirectory, person, put } from './testing/ground.ts'

afterEach(() => vi.unstubAllEnvs())

const files = { 'a.txt': 'a\n', 'deep/b.md': 'b\n' }
const committed = (root: string): string => person(root, 'ls-tree', '-r', '--name-only', 'HEAD')

test('a plain directory becomes a repository, and what comes later is committed in it', async () => {
  const root = await newDirectory()
  put(root, files)
  expect(await commitAll(root, 'Begin')).toBe(true)
  expect(committed(root)).toBe('a.txt\ndeep/b.md\n')
  put(root, { 'c.txt': 'c\n' })
  expect(await commitAll(root, 'Go on')).toBe(true)
  expect(person(root, 'log', '--format=%s, %an')).toBe('Go on, bough\nBegin, bough\n')
  expect(person(root, 'status', '--porcelain', '--branch')).toBe('## main\n')
})

test("nothing of the person's own config counts, and it stays as it is", async () => {
  const home = await newDirectory('home')
  const ran = join(home, 'ran')
  const hook = (path: string): void =>
    writeFileSync(path, `#!/bin/sh\necho ran >> '${ran}'\nexit 1\n`, { mode: 0o755 })
  mkdirSync(join(home, 'template/hooks'), { recursive: true })
  for (const name of ['pre-commit', 'commit-msg', 'post-commit']) hook(join(home, 'template/hooks', name))
  hook(join(home, 'sign'))
  writeFileSync(join(home, 'ignored'), '*.md\n')
  const config = `[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = ${home}/sign
[core]\n\thooksPath = ${home}/template/hooks\n\texcludesFile = ${home}/ignored\n[user]\n\tuseConfigOnly = true
[init]\n\ttemplateDir = ${home}/template\n\tdefaultBranch = theirs\n[safe]\n\tdirectory = /elsewhere\n`
  writeFileSync(join(home, '.gitconfig'), config)
  mkdirSync(join(home, '.config/git'), { recursive: true })
  writeFileSync(join(home, '.config/git/ignore'), '*.md\n')
  vi.stubEnv('HOME', home)
  vi.stubEnv('XDG_CONFIG_HOME', '')
  vi.stubEnv('GIT_DIR', join(home, 'other.git'))
  const root = await newDirectory()
  put(root, files)
  expect(await commitAll(root, 'Begin')).toBe(true)
  vi.stubEnv('GIT_DIR', undefined)
  expect(committed(root)).toBe('a.txt\ndeep/b.md\n')
  expect(person(root, 'log', '--format=%s %G?')).toBe('Begin N\n')
  expect([existsSync(ran), existsSync(join(root, '.git/hooks'))]).toEqual([false, false])
  expect(readFileSync(join(home, '.gitconfig'), 'utf8')).toBe(config)
})

test.each([
  ['is not there', null],
  ['fails half way', '#!/bin/sh\ncase "$*" in *init*) mkdir .git;; *) exit 1;; esac\n'],
])('where git %s, the directory stays a plain one', async (_, program) => {
  const bin = await newDirectory('bin')
  for (const name of ['sh', 'mkdir']) symlinkSync(join('/bin', name), join(bin, name))
  if (program !== null) writeFileSync(join(bin, 'git'), program, { mode: 0o755 })
  vi.stubEnv('PATH', bin)
  const root = await newDirectory()
  put(root, files)
  expect(await commitAll(root, 'Begin')).toBe(false)
  expect(readdirSync(root)).toEqual(['a.txt', 'deep'])
})
