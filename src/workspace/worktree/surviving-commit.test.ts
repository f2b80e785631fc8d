import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findProject } from '../project.ts'
import { commitAll, newDirectory, newRepository, person, put } from '../testing/ground.ts'
import { captured } from '../testing/worktree-ground.ts'
import { survivingCommit } from './surviving-commit.ts'

const head = (root: string): string => person(root, 'rev-parse', 'HEAD').trim()

/** A repository with a commit for each content, oldest first; gives their names. */
async function withCommits(...contents: readonly string[]): Promise<{ root: string; commits: string[] }> {
  const root = await newRepository({ a: 'first' })
  const commits = [head(root)]
  for (const content of contents) {
    put(root, { a: content })
    commitAll(root)
    commits.push(head(root))
  }
  return { root, commits }
}

/** The person goes back, and their git forgets what no branch has. */
function dropTo(root: string, commit: string): void {
  person(root, 'reset', '-q', '--hard', commit)
  person(root, 'reflog', 'expire', '--expire=now', '--all')
  person(root, 'gc', '-q', '--prune=now')
}

test('a commit that is still there is itself, also when no branch has it', async () => {
  const { root, commits } = await withCommits('second')
  const { shadow, project } = await captured(root)
  const [first = '', second = ''] = commits
  person(root, 'reset', '-q', '--hard', first)
  expect(await survivingCommit(shadow, project, second, [])).toBe(second)
})

test('of one that is gone the nearest ancestor that is left', async () => {
  const { root, commits } = await withCommits('second', 'third', 'fourth')
  const { shadow } = await captured(root)
  const [first = '', second = '', , fourth = ''] = commits
  dropTo(root, second)
  put(root, { a: 'other' })
  commitAll(root)
  expect(await survivingCommit(shadow, await findProject(root), fourth, [first])).toBe(second)
})

test('where its ancestors are not known the first that is left of those that were HEAD earlier', async () => {
  const { root, commits } = await withCommits('second', 'third')
  const { shadow } = await captured(root)
  const [first = '', second = '', third = ''] = commits
  dropTo(root, second)
  rmSync(join(shadow.directory, 'objects'), { recursive: true })
  const project = await findProject(root)
  expect(await survivingCommit(shadow, project, third, ['0'.repeat(40), first, second])).toBe(first)
  expect(await survivingCommit(shadow, project, third, [])).toBe(second)
})

test('in a shallow clone too', async () => {
  const { root: origin } = await withCommits('second', 'third')
  const root = await newDirectory()
  person(root, 'clone', '-q', '--depth=2', `file://${origin}`, '.')
  const kept = person(root, 'rev-parse', 'HEAD~1').trim()
  const { shadow } = await captured(root)
  const gone = head(root)
  person(root, 'update-ref', '-d', 'refs/remotes/origin/main')
  person(root, 'remote', 'remove', 'origin')
  dropTo(root, kept)
  expect(await survivingCommit(shadow, await findProject(root), gone, [])).toBe(kept)
})

test('none before the first commit, and none without git', async () => {
  const root = await newDirectory()
  const plain = await captured(root)
  expect(await survivingCommit(plain.shadow, plain.project, '0'.repeat(40), [])).toBe(null)
  person(root, 'init', '-q')
  const { shadow, project } = await captured(root)
  expect(await survivingCommit(shadow, project, '0'.repeat(40), [])).toBe(null)
})
