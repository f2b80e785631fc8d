import { mkdir, mkdtemp, symlink } from 'node:fs/promises'
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
  expect(await placeOf(join(project, 'new', 'deep.txt'), project, [own])).toBe('session-directory')
  expect(await placeOf(join(project, '..', 'project-2', 'x'), project, [own])).toBe('elsewhere')
  expect(await placeOf(undefined, project, [own])).toBe('elsewhere')
})

it('links are followed, also those that lead nowhere yet or in a circle', async () => {
  await symlink(root, join(project, 'up'))
  await symlink(join(own, 'future.db'), join(project, 'dangling'))
  await symlink('circle', join(project, 'circle'))
  expect(await placeOf(join(project, 'up', 'x'), project, [own])).toBe('elsewhere')
  expect(await placeOf(join(project, 'dangling'), project, [own])).toBe('bough-data')
  expect(await placeOf(join(project, 'circle'), project, [own])).toBe('session-directory')
})

it('inside both the session’s directory and bough’s own, the deeper one decides', async () => {
  expect(await placeOf(join(own, 'bough.db'), root, [own])).toBe('bough-data')
  expect(await placeOf(join(own, 'demo', 'a.txt'), join(own, 'demo'), [own])).toBe('session-directory')
  expect(await placeOf(join(own, 'bough.db'), join(own, 'demo'), [own])).toBe('bough-data')
})
