import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { placeOf } from './file-place.ts'

let root: string
let project: string
let own: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'place-'))
  project = join(root, 'project')
  own = join(root, 'own')
  await mkdir(project)
  await mkdir(own)
})

it('a file that is there or not yet lies in the session’s directory', async () => {
  expect(await placeOf({ path: join(project, 'new', 'deep.txt') }, project, [own])).toBe('session-directory')
  expect(await placeOf({ path: join(project, '..', 'project-2', 'x') }, project, [own])).toBe('elsewhere')
  expect(await placeOf({}, project, [own])).toBe('elsewhere')
})

it('links are followed, also those that lead nowhere yet or in a circle', async () => {
  await symlink(root, join(project, 'up'))
  await symlink(join(own, 'future.db'), join(project, 'dangling'))
  await symlink('circle', join(project, 'circle'))
  expect(await placeOf({ path: join(project, 'up', 'x') }, project, [own])).toBe('elsewhere')
  expect(await placeOf({ path: join(project, 'dangling') }, project, [own])).toBe('bough-data')
  expect(await placeOf({ path: join(project, 'circle') }, project, [own])).toBe('session-directory')
})

it('inside both the session’s directory and bough’s own, the deeper one decides', async () => {
  expect(await placeOf({ path: join(own, 'bough.db') }, root, [own])).toBe('bough-data')
  expect(await placeOf({ path: join(own, 'demo', 'a.txt') }, join(own, 'demo'), [own])).toBe(
    'session-directory',
  )
  expect(await placeOf({ path: join(own, 'bough.db') }, join(own, 'demo'), [own])).toBe('bough-data')
})

it('of a link that is to be deleted, the place of the link counts', async () => {
  await symlink(project, join(root, 'link'))
  expect(await placeOf({ path: join(root, 'link') }, project, [own])).toBe('session-directory')
  expect(await placeOf({ path: join(root, 'link'), linkItself: true }, project, [own])).toBe('elsewhere')
})

it('a config file that is linked from elsewhere is bough’s own all the same', async () => {
  const config = join(project, 'bough.json')
  await writeFile(config, '{}')
  await symlink(config, join(own, 'config.json'))
  expect(await placeOf({ path: config }, project, [own, join(own, 'config.json')])).toBe('bough-data')
})

it('what agents and git take their commands from is apart from other files of the session', async () => {
  for (const path of [
    '.git/config',
    '.claude/settings.json',
    'sub/.Codex/config.toml',
    '.mcp.json',
    '.git',
  ]) {
    expect(await placeOf({ path: join(project, path) }, project, [own])).toBe('session-settings')
  }
  for (const path of ['.gitignore', 'git/config', '.claude.md']) {
    expect(await placeOf({ path: join(project, path) }, project, [own])).toBe('session-directory')
  }
})

it('a place from which bough’s own data is reached by reading all below it is no place of the session', async () => {
  expect(await placeOf({ path: root, isDeep: true }, root, [own])).toBe('elsewhere')
  expect(await placeOf({ path: root }, root, [own])).toBe('session-directory')
  expect(await placeOf({ path: project, isDeep: true }, root, [own])).toBe('session-directory')
})
