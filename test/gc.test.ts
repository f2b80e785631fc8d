import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { thisProcess } from '../src/process-identity.ts'
import { openStore } from '../src/store/open.ts'
import { createIds, type MessageID } from '../src/tree/ids.ts'
import type { Session } from '../src/tree/session.ts'
import type { Snapshot } from '../src/tree/snapshot.ts'
import { Snapshots } from '../src/turns/snapshots.ts'
import type { Captured } from '../src/workspace/capture/capture-project.ts'
import { commitAll, filesIn, fingerprint, person, put } from '../src/workspace/testing/ground.ts'
import { ageRefs, lastOf, newProject, type Project } from './support/project.ts'
import { until } from './support/until.ts'

const day = 24 * 60 * 60_000

const branches = (root: string) =>
  person(root, 'for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n').filter(Boolean)

async function forkInWorktree({ bough, sessionID, turn }: Project) {
  const last = await turn('write a.txt: one')
  return bough.fork(sessionID, { messageID: last, files: 'worktree' })
}

/** Does something right after the next look at the files of a worktree. */
function afterNextCapture(does: () => Promise<unknown>): void {
  const { withCapture } = Snapshots.prototype
  const capturing = vi.spyOn(Snapshots.prototype, 'withCapture').mockImplementationOnce(async function <T>(
    this: Snapshots,
    directory: string,
    work: (captured: Captured) => Promise<T>,
  ): Promise<T> {
    const done = await withCapture.call<Snapshots, [string, typeof work], Promise<T>>(this, directory, work)
    await does()
    return done
  })
  onTestFinished(() => capturing.mockRestore())
}

/** As another process does that puts files back there. */
async function beginRestore(data: string, root: string): Promise<void> {
  const store = await openStore(data, Date.now)
  onTestFinished(() => store.close())
  const snapshot = await store.snapshots.latest(root)
  if (!snapshot) throw new Error(`No files were captured in ${root}.`)
  const { id, projectID } = snapshot
  const restore = { projectID, root, before: id, target: id, paths: ['early.txt'], undoes: null } as const
  const underWay = { state: 'running', process: thisProcess(), created: Date.now() } as const
  await store.transaction((tx) => tx.restores.insert({ id: 'rst_1', ...restore, ...underWay }))
}

it('The worktree of a deleted fork goes with it, with entry and branch', async () => {
  const project = await newProject()
  const { bough, root } = project
  const before = fingerprint(join(root, '.git', 'refs'))
  const fork = await forkInWorktree(project)
  expect(await bough.remove(fork.id)).toMatchObject({ kept: false, workspace: { removed: true, kept: null } })
  expect(existsSync(fork.directory)).toBe(false)
  expect(person(root, 'worktree', 'list').split('\n').filter(Boolean)).toHaveLength(1)
  expect(branches(root)).toEqual(['main'])
  expect(fingerprint(join(root, '.git', 'refs'))).toEqual(before)
})

it('Uncommitted work in it is first saved to a snapshot, which can be put back', async () => {
  const project = await newProject()
  const { bough, root } = project
  const fork = await forkInWorktree(project)
  put(fork.directory, { 'unsaved.txt': 'hours of work\n' })
  const { workspace } = await bough.remove(fork.id)
  expect(workspace?.saved).toMatch(/^snp_/)
  await bough.gc()
  await bough.undo(root, { snapshotID: workspace?.saved ?? 'snp_' })
  expect(readFileSync(join(root, 'unsaved.txt'), 'utf8')).toBe('hours of work\n')
})

it('What git ignores in it goes with it, and is named before and after', async () => {
  const project = await newProject()
  const { bough, sessionID } = project
  const fork = await forkInWorktree(project)
  put(fork.directory, { '.gitignore': '.env\nmade/\n', '.env': 'secret\n', 'made/a': 'a', 'made/b/c': 'c' })
  await bough.change(fork.id, { archived: true })
  const words = 'what git ignores in it goes too: .env, made/'
  for (const dryRun of [true, false]) {
    const worktree = (await bough.gc({ dryRun })).items.find(({ kind }) => kind === 'worktree')
    expect(worktree).toMatchObject({ goes: true, why: expect.stringContaining(words) })
  }
  expect(existsSync(fork.directory)).toBe(false)
  const other = await bough.fork(sessionID, { files: 'worktree' })
  put(other.directory, { '.gitignore': '*.log\n', 'x.log': '' })
  expect((await bough.remove(other.id)).workspace).toMatchObject({ removed: true, ignored: ['x.log'] })
})

it('What is saved of it is known before the shadow is let go: no gc elsewhere finds it unwanted', async () => {
  const project = await newProject()
  const fork = await forkInWorktree(project)
  put(fork.directory, { 'unsaved.txt': 'hours of work\n' })
  const store = await openStore(project.home.data, Date.now)
  onTestFinished(() => store.close())
  let known: readonly Snapshot[] = []
  afterNextCapture(async () => {
    known = await store.snapshots.all()
  })
  const { workspace } = await project.bough.remove(fork.id)
  expect(known.map(({ id }) => id)).toContain(workspace?.saved)
})

it('A branch that has commits of its own is kept, until they are elsewhere', async () => {
  const project = await newProject()
  const { bough, root } = project
  const fork = await forkInWorktree(project)
  commitAll(fork.directory, 'work of its own')
  const { workspace } = await bough.remove(fork.id)
  expect(workspace).toMatchObject({ removed: true, branchKept: true, saved: null })
  const branch = workspace?.branch ?? ''
  expect(branches(root)).toEqual([branch, 'main'])
  expect((await bough.gc()).items).toContainEqual(
    expect.objectContaining({ kind: 'branch', what: branch, goes: false }),
  )
  expect(branches(root)).toEqual([branch, 'main'])
  person(root, 'stash', '-q')
  person(root, 'merge', '-q', branch)
  expect((await bough.gc({ dryRun: true })).items).toContainEqual(
    expect.objectContaining({ kind: 'branch', what: branch, goes: true }),
  )
  expect(branches(root)).toEqual([branch, 'main'])
  await bough.gc()
  expect(branches(root)).toEqual(['main'])
  expect((await bough.gc()).items.filter(({ kind }) => kind === 'branch')).toEqual([])
})

it('A process that still runs there stops it; gc removes it when that is gone', async () => {
  const project = await newProject()
  const { bough } = project
  const fork = await forkInWorktree(project)
  const running = await bough.send(fork.id, 'run sleep 600')
  for await (const event of running.events) if (event.type === 'tool-call') break
  const beside = await bough.create({ directory: fork.directory })
  await bough.send(beside.id, 'run sleep 600')
  await bough.remove(beside.id)
  expect(existsSync(fork.directory)).toBe(true)
  const person = execFileSync('sh', ['-c', 'sleep 600 > /dev/null 2>&1 & echo $!'], {
    cwd: fork.directory,
    encoding: 'utf8',
  })
  try {
    expect((await bough.remove(fork.id)).workspace).toMatchObject({
      removed: false,
      kept: expect.stringContaining('sleep'),
    })
    expect((await bough.gc()).items).toContainEqual(
      expect.objectContaining({ kind: 'worktree', goes: false }),
    )
    expect(existsSync(fork.directory)).toBe(true)
  } finally {
    process.kill(Number(person))
  }
  await until('gc removes it', async () =>
    (await bough.gc()).items.some(({ kind, goes }) => kind === 'worktree' && goes),
  )
  expect(existsSync(fork.directory)).toBe(false)
})

it('A path outside the managed root stops it', async () => {
  const project = await newProject()
  const { bough } = project
  const fork = await forkInWorktree(project)
  const elsewhere = `${project.root}-moved`
  renameSync(fork.directory, elsewhere)
  symlinkSync(elsewhere, fork.directory)
  expect((await bough.remove(fork.id)).workspace).toMatchObject({ removed: false })
  await bough.gc()
  expect(filesIn(elsewhere)).toEqual({ 'a.txt': '100644 one\n' })
})

it('What cannot be saved keeps its worktree: a repository inside it', async () => {
  const project = await newProject()
  const { bough } = project
  const fork = await forkInWorktree(project)
  mkdirSync(join(fork.directory, 'nested'))
  person(join(fork.directory, 'nested'), 'init', '-q')
  put(join(fork.directory, 'nested'), { 'x.txt': 'x' })
  expect((await bough.remove(fork.id)).workspace).toMatchObject({
    removed: false,
    kept: expect.stringContaining('nested'),
  })
  expect(existsSync(join(fork.directory, 'nested', 'x.txt'))).toBe(true)
})

it('gc removes worktrees of archived sessions, and none that a session works in', async () => {
  const project = await newProject()
  const { bough } = project
  const [used, archived] = [await forkInWorktree(project), await forkInWorktree(project)]
  await bough.change(archived.id, { archived: true })
  const dry = await bough.gc({ dryRun: true })
  expect(dry.items.filter(({ kind }) => kind === 'worktree')).toEqual([
    expect.objectContaining({ what: archived.directory, goes: true }),
  ])
  expect(dry.items.find(({ kind }) => kind === 'worktree')?.bytes).toBeGreaterThan(1000)
  expect(existsSync(archived.directory)).toBe(true)
  const done = await bough.gc()
  expect(done.items.filter(({ kind }) => kind === 'worktree')).toHaveLength(1)
  expect(existsSync(archived.directory)).toBe(false)
  expect(existsSync(used.directory)).toBe(true)
})

it.each<[string, (project: Project, archived: Session) => Promise<unknown>]>([
  [
    'a whole turn ran there',
    async ({ bough }, { id }) => (await bough.send(id, 'write late.txt: late')).ended,
  ],
  ['its session is no longer archived', ({ bough }, { id }) => bough.change(id, { archived: false })],
  ['another fork works there', ({ bough }, { id }) => bough.fork(id, { files: 'same' })],
  ['files are being put back there', ({ home }, { directory }) => beginRestore(home.data, directory)],
])('gc keeps a worktree when, after it has looked at its files, %s', async (_, happens) => {
  const project = await newProject()
  const fork = await forkInWorktree(project)
  const { bough } = project
  await bough.send(fork.id, 'write early.txt: early').then(({ ended }) => ended)
  await bough.change(fork.id, { archived: true })
  const before = filesIn(fork.directory)
  afterNextCapture(() => happens(project, fork))
  const { items } = await bough.gc()
  expect(items.find(({ kind }) => kind === 'worktree')).toMatchObject({
    goes: false,
    why: 'somebody works in it, or removes it, just now',
  })
  expect(filesIn(fork.directory)).toMatchObject(before)
})

it('What is saved of it stays its time also where the same was saved before, when it was kept after all', async () => {
  let now = Date.now()
  const project = await newProject({ clock: () => now })
  const { bough, home, root } = project
  const fork = await forkInWorktree(project)
  put(fork.directory, { 'unsaved.txt': 'hours of work\n' })
  await bough.change(fork.id, { archived: true })
  afterNextCapture(() => bough.change(fork.id, { archived: false }))
  await bough.gc()
  expect(existsSync(fork.directory)).toBe(true)
  now += 40 * day
  ageRefs(home.data)
  await bough.change(fork.id, { archived: true })
  const { items } = await bough.gc()
  expect(existsSync(fork.directory)).toBe(false)
  const [, saved] = /kept as (snp_\w+)/.exec(items.find(({ kind }) => kind === 'worktree')?.why ?? '') ?? []
  const { id } = await bough.findSnapshot(saved ?? '')
  await bough.undo(root, { snapshotID: id })
  expect(readFileSync(join(root, 'unsaved.txt'), 'utf8')).toBe('hours of work\n')
})

it('Where a worktree is being removed nothing begins: no turn, no fork in it, no restore', async () => {
  const project = await newProject()
  const fork = await forkInWorktree(project)
  const { bough, home } = project
  const first = await lastOf(bough, fork.id, ['write early.txt: early'])
  await lastOf(bough, fork.id, ['write early.txt: later'])
  const store = await openStore(home.data, Date.now)
  onTestFinished(() => store.close())
  await store.transaction((tx) =>
    tx.workspaces.move(fork.workspaceID ?? 'wsp_', 'ready', 'removing', thisProcess()),
  )
  const [before, session] = [filesIn(fork.directory), await bough.session(fork.id)]
  const refused = { code: 'directory_gone', message: expect.stringContaining('is being removed') }
  await expect(bough.send(fork.id, 'write lost.txt: lost')).rejects.toMatchObject(refused)
  await expect(bough.fork(fork.id, { files: 'same' })).rejects.toMatchObject(refused)
  await expect(bough.runBackground(fork.id, 'write lost.txt: lost')).rejects.toMatchObject(refused)
  await expect(bough.restore(fork.id, { messageID: first })).rejects.toMatchObject(refused)
  expect(filesIn(fork.directory)).toEqual(before)
  expect(await bough.session(fork.id)).toEqual(session)
  expect(await bough.children(fork.id)).toEqual([])
})

it('Snapshots are thinned by age where no fork stands on them, and a fork says so', async () => {
  let now = Date.now() - 100 * day
  const { bough, home, sessionID, turn } = await newProject({ clock: () => now })
  const ends: MessageID[] = []
  for (let i = 0; i < 6; i++) {
    ends.push(await turn(`write a.txt: ${i}`, 'run touch x'))
    now += 60_000
  }
  const stood = await bough.fork(sessionID, { messageID: ends[1] ?? 'msg_', files: 'same' })
  now += 100 * day
  await turn('write a.txt: now')
  const { items } = await bough.gc()
  expect(items).toContainEqual(expect.objectContaining({ kind: 'snapshots', goes: true }))
  const fork = await bough.fork(sessionID, { messageID: ends[3] ?? 'msg_', files: 'worktree' })
  expect(fork.files.notices.join()).toContain('cleaned up')
  const kept = await bough.fork(sessionID, { messageID: stood.forkPoint ?? 'msg_', files: 'worktree' })
  expect(filesIn(kept.directory)['a.txt']).toBe('100644 1\n')
  await expect(bough.files(sessionID, ends[3])).rejects.toMatchObject({
    message: expect.stringContaining('cleaned up'),
  })
  expect(existsSync(join(home.data, 'snapshots'))).toBe(true)
})

it('Snapshots of deleted sessions are freed, and what is left is packed', async () => {
  let now = Date.now()
  const { bough, home, root, sessionID, turn } = await newProject({ clock: () => now })
  const other = await bough.create({ directory: root })
  for (let i = 0; i < 5; i++)
    await lastOf(bough, other.id, [`write big-${i}.txt: ${i.toString().repeat(20_000)}`])
  const last = await turn('write a.txt: one')
  await bough.remove(other.id)
  now += 2 * day
  ageRefs(home.data)
  expect((await bough.gc()).freed).toBeGreaterThan(0)
  const names = readdirSync(join(home.data, 'snapshots'), { recursive: true, encoding: 'utf8' })
  expect(names.filter((name) => /refs\/snapshots\/snp_/.test(name))).toEqual([])
  expect(names.filter((name) => /objects\/[0-9a-f]{2}\//.test(name)).length).toBeLessThan(10)
  const fork = await bough.fork(sessionID, { messageID: last, files: 'worktree' })
  expect(filesIn(fork.directory)['a.txt']).toBe('100644 one\n')
  // The fork captured the files of now.
  await bough.gc()
  expect((await bough.gc()).items).toEqual([])
})

it('A draft that nobody will go on with becomes an interrupted message', async () => {
  const { bough, home, sessionID, turn } = await newProject()
  await turn('hello')
  const store = await openStore(home.data, Date.now)
  onTestFinished(() => store.close())
  const ids = createIds(Date.now, (length) => crypto.getRandomValues(new Uint8Array(length)))
  const [id, promptID, messageID] = [ids.turn(), ids.message(), ids.message()]
  await store.transaction(async (tx) => {
    const parts = [{ type: 'text' as const, text: 'prompt' }]
    await tx.messages.append(sessionID, [
      { id: promptID, role: 'user', parts, status: 'complete', created: Date.now() },
    ])
    await tx.turns.insert({ id, sessionID, promptID, started: Date.now() })
    await tx.turns.saveDraft(id, {
      messageID,
      role: 'assistant',
      parts: [{ type: 'text', text: 'half a sen' }],
    })
    await tx.owners.removeOf(sessionID)
  })
  const item = expect.objectContaining({ kind: 'draft', what: sessionID, goes: true })
  expect((await bough.gc({ dryRun: true })).items).toContainEqual(item)
  expect((await bough.session(sessionID)).state).toBe('running')
  expect((await bough.gc()).items).toContainEqual(item)
  expect((await bough.session(sessionID)).state).toBe('idle')
  const said = await bough.messages(sessionID)
  expect(said.find((message) => message.id === messageID)).toMatchObject({
    text: 'half a sen',
    status: 'interrupted',
  })
})

it('With nothing to do, gc does nothing and says so', async () => {
  const { bough } = await newProject()
  expect(await bough.gc()).toEqual({ items: [], freed: 0 })
})
