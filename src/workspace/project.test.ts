import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findProject } from './project.ts'
import { keepHeadInTables, newDirectory, newRepository, person } from './testing/ground.ts'

test('where refs are kept in tables, git is asked for the branch and the commit', async () => {
  const root = await newRepository()
  person(root, 'checkout', '-q', '-b', 'topic/ü')
  const head = person(root, 'rev-parse', 'HEAD').trim()
  withPath(await keepHeadInTables(join(root, '.git')))
  expect((await findProject(root)).repository).toMatchObject({ branch: 'topic/ü', head })
})

test('where refs are kept in tables and a commit is checked out, there is no branch', async () => {
  const root = await newRepository()
  person(root, 'checkout', '-q', '--detach')
  const head = person(root, 'rev-parse', 'HEAD').trim()
  withPath(await keepHeadInTables(join(root, '.git')))
  expect((await findProject(root)).repository).toMatchObject({ branch: null, head })
})

test('where refs are kept in tables, the branch is known before the first commit', async () => {
  const root = await newDirectory()
  person(root, 'init', '-q', '-b', 'begin')
  withPath(await keepHeadInTables(join(root, '.git')))
  expect((await findProject(root)).repository).toMatchObject({ branch: 'begin', head: null })
})

function withPath({ PATH }: { readonly PATH: string }): void {
  vi.stubEnv('PATH', PATH)
  onTestFinished(() => void vi.unstubAllEnvs())
}
