import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commitAll, filesIn, person, put } from '../src/workspace/testing/ground.ts'
import { ageRefs, lastOf, newProject } from './support/project.ts'

// What others got wrong about files.

describe('traps that others fell into', () => {
  it('the snapshot is of the fork point, not taken now', async () => {
    const { bough, root, sessionID, turn } = await newProject()
    const first = await turn('write a.txt: then')
    await turn('write a.txt: later', 'write b.txt: later')
    put(root, { 'c.txt': 'now\n' })
    for (const files of ['worktree', 'restore'] as const) {
      const fork = await bough.fork(sessionID, { messageID: first, files })
      expect(filesIn(fork.directory)).toEqual({ 'a.txt': '100644 then\n' })
    }
  })

  it('restore does not leave files that were created later', async () => {
    const { bough, root, sessionID, turn } = await newProject()
    const first = await turn('write a.txt: one')
    await turn('write deep/er/later.txt: later', 'run mkdir -p x && touch x/by-command')
    await bough.fork(sessionID, { messageID: first, files: 'restore' })
    expect(readdirSync(root).toSorted()).toEqual(['.git', 'a.txt'])
  })

  it('a pruned snapshot is not read as "the file did not exist": committed files stay', async () => {
    const { bough, home, root, sessionID, turn } = await newProject({
      files: { 'a.txt': 'a\n', 'committed.txt': 'c\n' },
    })
    const first = await turn('write a.txt: one')
    await turn('write a.txt: two')
    const before = filesIn(root)
    const [shadow = ''] = readdirSync(join(home.data, 'snapshots'))
    // Still a repository, which has lost what it kept.
    const objects = join(home.data, 'snapshots', shadow, 'objects')
    for (const name of readdirSync(objects))
      if (/^[0-9a-f]{2}$/.test(name)) rmSync(join(objects, name), { recursive: true })
    const refused = { restore: 'snapshot_failed', worktree: 'worktree_failed' } as const
    for (const files of ['restore', 'worktree'] as const) {
      await expect(bough.fork(sessionID, { messageID: first, files })).rejects.toMatchObject({
        code: refused[files],
      })
    }
    expect(filesIn(root)).toEqual(before)
    expect(await bough.children(sessionID)).toEqual([])
    expect(person(root, 'branch', '--list').trim()).toBe('* main')
  })

  it('forks do not share one directory by themselves: undoing in one does not rewrite the other’s files', async () => {
    const { bough, root, sessionID, turn } = await newProject()
    const first = await turn('write a.txt: one')
    await turn('write a.txt: two')
    const one = await bough.fork(sessionID, { messageID: first })
    const other = await bough.fork(sessionID, { messageID: first })
    const early = await lastOf(bough, one.id, ['write a.txt: in one'])
    await lastOf(bough, one.id, ['write a.txt: again in one'])
    await lastOf(bough, other.id, ['write a.txt: in the other'])
    await bough.fork(one.id, { messageID: early, files: 'restore' })
    await bough.undo(one.directory)
    await bough.fork(one.id, { messageID: early, files: 'restore' })
    expect(filesIn(one.directory)).toEqual({ 'a.txt': '100644 in one\n' })
    expect(filesIn(other.directory)).toEqual({ 'a.txt': '100644 in the other\n' })
    expect(filesIn(root)).toEqual({ 'a.txt': '100644 two\n' })
  })

  it('worktrees do not pile up: those of deleted sessions go', async () => {
    const { bough, home, root, sessionID, turn } = await newProject()
    const first = await turn('write a.txt: one')
    for (let i = 0; i < 5; i++) {
      const fork = await bough.fork(sessionID, { messageID: first, files: 'worktree' })
      await bough.remove(fork.id)
    }
    expect(person(root, 'worktree', 'list').trim().split('\n')).toHaveLength(1)
    const [project = ''] = readdirSync(join(home.data, 'worktrees'))
    expect(readdirSync(join(home.data, 'worktrees', project))).toEqual([])
  })

  it('clean-up deletes no unpushed work: commits stay on their branch, uncommitted files in a snapshot', async () => {
    const { bough, root, sessionID, turn } = await newProject()
    const first = await turn('write a.txt: one')
    const fork = await bough.fork(sessionID, { messageID: first, files: 'worktree' })
    put(fork.directory, { 'committed.txt': 'committed\n' })
    commitAll(fork.directory, 'unpushed')
    put(fork.directory, { 'uncommitted.txt': 'uncommitted\n' })
    const { workspace } = await bough.remove(fork.id)
    await bough.gc()
    expect(person(root, 'show', `${workspace?.branch}:committed.txt`)).toBe('committed\n')
    await bough.undo(root, { snapshotID: workspace?.saved ?? 'snp_' })
    expect(filesIn(root)['uncommitted.txt']).toBe('100644 uncommitted\n')
  })

  it('snapshots are kept by refs: git’s own clean-up in the shadow, and in the repository after a rebase, takes none', async () => {
    const { bough, home, root, sessionID, turn } = await newProject()
    const ends = [await turn('write a.txt: one')]
    commitAll(root, 'one')
    ends.push(await turn('write a.txt: two'))
    commitAll(root, 'two')
    ends.push(await turn('write a.txt: three', 'write b.txt: three'))
    commitAll(root, 'three')
    person(
      root,
      '-c',
      'sequence.editor=sed -i 2,3s/pick/squash/',
      '-c',
      'core.editor=true',
      'rebase',
      '-qi',
      'HEAD~3',
    )
    person(root, 'reflog', 'expire', '--expire=now', '--all')
    person(root, 'gc', '-q', '--prune=now')
    const [shadow = ''] = readdirSync(join(home.data, 'snapshots'))
    const env = { PATH: process.env.PATH, GIT_DIR: join(home.data, 'snapshots', shadow) }
    execFileSync('git', ['gc', '-q', '--prune=now'], { env })
    for (const [i, messageID] of ends.entries()) {
      const fork = await bough.fork(sessionID, { messageID, files: 'worktree' })
      expect(filesIn(fork.directory)['a.txt']).toBe(`100644 ${['one', 'two', 'three'][i]}\n`)
    }
  })

  it('snapshots are freed when nobody needs them any more', async () => {
    let now = Date.now()
    const { bough, home, sessionID, turn } = await newProject({ clock: () => now })
    await turn(`write big.txt: ${'x'.repeat(100_000)}`)
    await bough.remove(sessionID)
    now += 60 * 24 * 60 * 60_000
    ageRefs(home.data)
    expect((await bough.gc({ dryRun: true })).items).toMatchObject([{ kind: 'snapshots', goes: true }])
    expect((await bough.gc()).freed).toBeGreaterThan(0)
    const names = readdirSync(join(home.data, 'snapshots'), { recursive: true, encoding: 'utf8' })
    expect(names.filter((name) => /refs\/snapshots\//.test(name))).toEqual([])
  })

  it('clean-up beside running turns takes nothing away from them', async () => {
    const { bough, sessionID, turn } = await newProject()
    const first = await turn('write a.txt: one')
    const [kept, gone] = [
      await bough.fork(sessionID, { messageID: first, files: 'worktree' }),
      await bough.fork(sessionID, { messageID: first, files: 'worktree' }),
    ]
    await bough.change(gone.id, { archived: true })
    await Promise.all([
      lastOf(bough, kept.id, ['write a.txt: two', 'run touch t']),
      bough.gc(),
      lastOf(bough, kept.id, ['write a.txt: three']),
    ])
    expect(filesIn(kept.directory)).toEqual({ 'a.txt': '100644 three\n', t: '100644 ' })
    expect((await bough.files(kept.id)).changes).toEqual([{ path: 'a.txt', change: 'changed' }])
  })
})
