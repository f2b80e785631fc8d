import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newProject } from './support/project.ts'

it('The directories that sessions work in are told with the worktrees that forks made, those used last first', async () => {
  const { bough, root, sessionID, turn } = await newProject()
  await turn('write a.txt: one')
  expect(await bough.workspaces()).toMatchObject([
    { directory: root, workspaceID: null, branch: null, sessions: 1 },
  ])
  const fork = await bough.fork(sessionID, { files: 'worktree' })
  const below = join(fork.directory, 'sub')
  mkdirSync(below)
  await bough.fork(fork.id, { files: 'same' })
  await bough.create({ directory: below })
  await turn('write a.txt: two')
  const worktree = { workspaceID: fork.workspaceID, branch: expect.stringMatching(/^bough\//) }
  const used = await bough.workspaces()
  expect(used).toMatchObject([
    { directory: root, workspaceID: null, branch: null, sessions: 1 },
    { directory: below, ...worktree, sessions: 1 },
    { directory: fork.directory, ...worktree, sessions: 2 },
  ])
  expect(used[0]?.updated).toBe((await bough.session(sessionID)).updated)
})
