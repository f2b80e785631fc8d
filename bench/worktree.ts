import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { captureFiles } from '../src/workspace/capture/capture-files.ts'
import { findProject } from '../src/workspace/project.ts'
import { Shadow } from '../src/workspace/shadow/shadow.ts'
import { makeWorktree } from '../src/workspace/worktree/worktree.ts'
import { removeRemains } from '../src/workspace/worktree/worktree-remains.ts'
import { makeProject } from './made-up-project.ts'
import type { Group, Row } from './row.ts'
import { Subject } from './subject.ts'

const run = promisify(execFile)
/** How often each is measured; the figure is for 10,000 files, the others are for information. */
const sizes = [
  { files: 1_000, rounds: 5 },
  { files: 10_000, rounds: 7 },
  { files: 50_000, rounds: 2 },
]
const judged = 10_000

export const forkingIntoWorktrees: Group = {
  name: 'worktree',
  title: 'A worktree with the files of a snapshot, beside git worktree add of the same commit',
  async measure(directory) {
    const rows: Row[] = []
    for (const { files, rounds } of sizes) {
      rows.push(...(await ofProject(join(directory, String(files)), files, rounds)))
    }
    return rows
  },
}

async function ofProject(directory: string, files: number, rounds: number): Promise<readonly Row[]> {
  const root = join(directory, 'project')
  const { commit } = await makeProject(root, files)
  const project = await findProject(root)
  const shadow = await Shadow.open(join(directory, 'data'), project)
  const { tree } = await captureFiles(shadow, project, Number.MAX_SAFE_INTEGER)
  const worktree = { path: join(directory, 'data', 'worktrees', 'x'), branch: 'bough/x', commit }
  const add = (...options: readonly string[]) =>
    run('git', ['worktree', 'add', ...options, '-b', worktree.branch, worktree.path, commit], { cwd: root })
  const name = `${files.toLocaleString('en')} files`
  const ours = new Subject(`${name}, of a snapshot`, () => makeWorktree(shadow, project, worktree, tree))
  const clean = new Subject(`${name}, of a commit`, () => makeWorktree(shadow, project, worktree, null))
  const theirs = new Subject(`${name}, git worktree add`, () => add())
  const bare = new Subject(`${name}, git worktree add --no-checkout`, () => add('--no-checkout'))

  const subjects = files > judged ? [ours, theirs] : [ours, theirs, clean, bare]
  for (let round = 0; round <= rounds; round++) {
    // The first is for warming up.
    if (round === 1) for (const subject of subjects) subject.forget()
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      await subject.sample()
      await removeRemains(join(root, '.git'), worktree)
    }
  }
  const baseline = { what: 'git worktree add', measured: theirs.result.measured }
  const fact = (subject: Subject): Row => ({ kind: 'fact', ...subject.result })
  return files === judged
    ? [
        { kind: 'ratio', ...ours.result, baseline, limit: 1.3 },
        { kind: 'ratio', ...clean.result, baseline, limit: 1.3 },
        fact(theirs),
        fact(bare),
      ]
    : subjects.map(fact)
}
