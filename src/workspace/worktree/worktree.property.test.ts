import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { count, seed } from '../../../test/support/size.ts'
import { findProject } from '../project.ts'
import { capture, contentsOf, filesIn, newDirectory } from '../testing/ground.ts'
import { begin, histories, type Step, take } from '../testing/history.ts'
import { makeWorktree } from './worktree.ts'

test('a snapshot from the middle of a random history becomes a worktree with exactly its files', async () => {
  const check = async (before: readonly Step[], after: readonly Step[]) => {
    const [data, root] = [await newDirectory('data'), await begin('git project')]
    try {
      for (const each of before) take(root, each, 'git project')
      const { shadow, tree } = await capture(data, root)
      const commit = (await findProject(root)).repository?.head ?? ''
      for (const each of after) take(root, each, 'git project')
      const path = join(data, 'worktrees', 'x')
      await makeWorktree(shadow, await findProject(root), { path, branch: 'bough/x', commit }, tree)
      expect(filesIn(path)).toEqual(contentsOf({ shadow, tree }))
    } finally {
      for (const each of [data, root]) rmSync(each, { recursive: true, force: true })
    }
  }
  const property = fc.asyncProperty(histories, histories, check)
  await fc.assert(property, { seed: seed(), numRuns: count(500, 12) })
})
