import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { Agents } from '../agents/agents.ts'
import { createClaudeDriver } from '../agents/claude/claude.ts'
import { createCodexDriver } from '../agents/codex/codex.ts'
import type { PermissionRequest } from '../agents/driver.ts'
import { createOfflineDriver } from '../agents/offline/offline.ts'
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

const agents = new Agents([
  createClaudeDriver(),
  createCodexDriver({ mcpCommand: [], worktreesOf: async () => [] }),
  createOfflineDriver(),
])

const place = (request: Partial<PermissionRequest>, directory: string, ownDirectories = [own]) =>
  placeOf(request, directory, ownDirectories, agents.settings)

it('a file that is there or not yet lies in the session’s directory', async () => {
  expect(await place({ path: join(project, 'new', 'deep.txt') }, project)).toBe('session-directory')
  expect(await place({ path: join(project, '..', 'project-2', 'x') }, project)).toBe('elsewhere')
  expect(await place({}, project)).toBe('elsewhere')
})

it('links are followed, also those that lead nowhere yet or in a circle', async () => {
  await symlink(root, join(project, 'up'))
  await symlink(join(own, 'future.db'), join(project, 'dangling'))
  await symlink('circle', join(project, 'circle'))
  expect(await place({ path: join(project, 'up', 'x') }, project)).toBe('elsewhere')
  expect(await place({ path: join(project, 'dangling') }, project)).toBe('bough-data')
  expect(await place({ path: join(project, 'circle') }, project)).toBe('session-directory')
})

it('inside both the session’s directory and bough’s own, the deeper one decides', async () => {
  expect(await place({ path: join(own, 'bough.db') }, root)).toBe('bough-data')
  expect(await place({ path: join(own, 'demo', 'a.txt') }, join(own, 'demo'))).toBe('session-directory')
  expect(await place({ path: join(own, 'bough.db') }, join(own, 'demo'))).toBe('bough-data')
})

it('of a link that is to be deleted, the place of the link counts', async () => {
  await symlink(project, join(root, 'link'))
  expect(await place({ path: join(root, 'link') }, project)).toBe('session-directory')
  expect(await place({ path: join(root, 'link'), linkItself: true }, project)).toBe('elsewhere')
})

it('a config file that is linked from elsewhere is bough’s own all the same', async () => {
  const config = join(project, 'bough.json')
  await writeFile(config, '{}')
  await symlink(config, join(own, 'config.json'))
  expect(await place({ path: config }, project, [own, join(own, 'config.json')])).toBe('bough-data')
})

it('what agents and git take their commands from is apart from other files of the session', async () => {
  for (const path of [
    '.git/config',
    '.claude/settings.json',
    'sub/.Codex/config.toml',
    '.mcp.json',
    '.git',
  ]) {
    expect(await place({ path: join(project, path) }, project)).toBe('session-settings')
  }
  for (const path of ['.gitignore', 'git/config', '.claude.md']) {
    expect(await place({ path: join(project, path) }, project)).toBe('session-directory')
  }
})

it('a place from which bough’s own data is reached by reading all below it is no place of the session', async () => {
  expect(await place({ path: root, isDeep: true }, root)).toBe('elsewhere')
  expect(await place({ path: root }, root)).toBe('session-directory')
  expect(await place({ path: project, isDeep: true }, root)).toBe('session-directory')
})
