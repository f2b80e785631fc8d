import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { count } from '../../../test/support/size.ts'
import { git } from '../git.ts'
import { newDirectory, newRepository, person } from '../testing/ground.ts'
import { captured, plan } from '../testing/worktree-ground.ts'
import { pastHalfWritten } from './half-written-entry.ts'
import { makeWorktree } from './worktree.ts'
import { inCommonDir } from './worktree-branch.ts'

test('git is run again until the entry that another git writes is whole', async () => {
  const root = await newRepository()
  const path = join(await newDirectory(), 'other')
  person(root, 'worktree', 'add', '-q', path)
  const commonDir = join(root, '.git')
  const half = join(commonDir, 'worktrees/other/commondir')
  writeFileSync(half, '')
  const takenBack: number[] = []
  const output = await pastHalfWritten(
    () => git(inCommonDir(commonDir), ['worktree', 'list', '--porcelain']),
    async () => {
      takenBack.push(takenBack.length + 1)
      if (takenBack.length === 3) writeFileSync(half, '../..\n')
    },
  )
  expect(output).toContain(path)
  expect(takenBack).toEqual([1, 2, 3])
})

test('what fails for another reason is not run again', async () => {
  const root = await newRepository()
  let runs = 0
  const failing = pastHalfWritten(() => {
    runs++
    return git(inCommonDir(join(root, '.git')), ['rev-parse', '--verify', 'nothing'])
  })
  await expect(failing).rejects.toThrow('Needed a single revision')
  expect(runs).toBe(1)
})

test('many worktrees of one repository can be made at once', async () => {
  const root = await newRepository({ a: '1' })
  const ground = await captured(root)
  const { shadow, project, tree } = ground
  for (let round = 0; round < count(40, 3); round++) {
    const wanted = Array.from({ length: 8 }, (_, i) => plan(ground, `${round}-${i}`))
    await Promise.all(wanted.map((each) => makeWorktree(shadow, project, each, tree)))
    const made = person(root, 'worktree', 'list', '--porcelain')
    for (const { branch } of wanted) expect(made).toContain(`branch refs/heads/${branch}\n`)
  }
})
