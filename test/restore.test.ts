import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openStore } from '../src/store/open.ts'
import { commitAll, filesIn, fingerprint, person, put } from '../src/workspace/testing/ground.ts'
import { openForTest, turn } from './support/bough.ts'
import { newProject } from './support/project.ts'
import { until } from './support/until.ts'

const read = (...path: readonly string[]) => readFileSync(join(...path), 'utf8')

describe.each([
  ['a git project', true],
  ['a directory without git', false],
] as const)('restore in %s', (_, git) => {
  it('lists what it would change, and changes nothing by that', async () => {
    const { bough, root, sessionID, turn } = await newProject({ git })
    const first = await turn('write a.txt: one', 'write b.txt: one')
    await turn('write a.txt: two', 'delete b.txt', 'write c.txt: two')
    const before = filesIn(root)
    const preview = await bough.previewFork(sessionID, { messageID: first, files: 'restore' })
    expect(preview).toMatchObject({ files: { mode: 'restore', left: [] }, context: { kind: 'native' } })
    expect(preview.files.changes).toEqual([
      { path: 'a.txt', change: 'changed' },
      { path: 'b.txt', change: 'added' },
      { path: 'c.txt', change: 'deleted' },
    ])
    expect(filesIn(root)).toEqual(before)
    expect(await bough.children(sessionID)).toEqual([])
  })

  it('puts the files back in the same directory, and undo puts them where they were', async () => {
    const { bough, root, sessionID, turn } = await newProject({ git })
    const first = await turn('write a.txt: one', 'write b.txt: one')
    const then = filesIn(root)
    await turn('write a.txt: two', 'delete b.txt', 'write c.txt: two')
    const now = filesIn(root)
    const repository = git ? fingerprint(join(root, '.git')) : {}
    const fork = await bough.fork(sessionID, { messageID: first, files: 'restore' })
    expect(fork).toMatchObject({ directory: root, files: { mode: 'restore' } })
    expect(filesIn(root)).toEqual(then)
    expect((await bough.undo(root)).changes).toHaveLength(3)
    expect(filesIn(root)).toEqual(now)
    if (git) expect(fingerprint(join(root, '.git'))).toEqual(repository)
    await expect(bough.undo(root)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is undone only in what it changed: later work elsewhere stays', async () => {
    const { bough, root, sessionID, turn } = await newProject({ git })
    const first = await turn('write a.txt: one')
    await turn('write a.txt: two')
    await bough.fork(sessionID, { messageID: first, files: 'restore' })
    put(root, { 'later.txt': 'later\n' })
    await bough.undo(root)
    expect(read(root, 'a.txt')).toBe('two\n')
    expect(read(root, 'later.txt')).toBe('later\n')
  })

  it('loses nothing by an undo either: what that replaced comes back by its snapshot', async () => {
    const { bough, root, sessionID, turn } = await newProject({ git })
    const first = await turn('write a.txt: one')
    await turn('write a.txt: two')
    await bough.fork(sessionID, { messageID: first, files: 'restore' })
    put(root, { 'a.txt': 'worked on since\n' })
    const { before } = await bough.undo(root)
    expect(read(root, 'a.txt')).toBe('two\n')
    await bough.undo(root, { snapshotID: before ?? 'snp_' })
    expect(read(root, 'a.txt')).toBe('worked on since\n')
  })

  it('takes back one after the other, the last one first', async () => {
    const { bough, root, sessionID, turn } = await newProject({ git })
    const first = await turn('write a.txt: one')
    const second = await turn('write a.txt: two')
    await turn('write a.txt: three')
    await bough.fork(sessionID, { messageID: second, files: 'restore' })
    await bough.fork(sessionID, { messageID: first, files: 'restore' })
    expect(read(root, 'a.txt')).toBe('one\n')
    await bough.undo(root)
    expect(read(root, 'a.txt')).toBe('two\n')
    await bough.undo(root)
    expect(read(root, 'a.txt')).toBe('three\n')
  })

  it('leaves ignored files alone, also those that became ignored or visible since', async () => {
    const { bough, root, sessionID, turn } = await newProject({ git })
    put(root, { '.gitignore': 'secret\n', secret: 'mine\n' })
    const first = await turn('write a.txt: one')
    put(root, { '.gitignore': 'a.txt\n' })
    await turn('write b.txt: two')
    const fork = await bough.fork(sessionID, { messageID: first, files: 'restore' })
    expect(read(root, 'secret')).toBe('mine\n')
    expect(fork.files.left).toEqual([{ path: 'secret', why: 'ignored then' }])
    expect(read(root, '.gitignore')).toBe('secret\n')
    expect(existsSync(join(root, 'b.txt'))).toBe(false)
    put(root, { secret: 'changed since\n' })
    await bough.undo(root)
    expect(read(root, 'secret')).toBe('changed since\n')
    expect(read(root, 'b.txt')).toBe('two\n')
  })

  it('refuses while a turn runs there, also one of another session, and a turn waits for it', async () => {
    const { bough, root, sessionID, turn: talk } = await newProject({ git })
    const first = await talk('write a.txt: one')
    await talk('write a.txt: two')
    const other = await bough.create({ directory: root })
    const running = await bough.send(other.id, 'run sleep 600')
    for await (const event of running.events) if (event.type === 'tool-call') break
    await expect(bough.fork(sessionID, { messageID: first, files: 'restore' })).rejects.toMatchObject({
      code: 'session_busy',
    })
    await expect(
      bough.undo(root, { snapshotID: (await bough.files(sessionID)).from.id ?? 'snp_' }),
    ).rejects.toMatchObject({ code: 'session_busy' })
    expect(read(root, 'a.txt')).toBe('two\n')
    await bough.abort(other.id)
    await bough.fork(sessionID, { messageID: first, files: 'restore' })
    expect(read(root, 'a.txt')).toBe('one\n')
  })

  it('replaces a file that stands where it needs a directory, and undo brings that back', async () => {
    const { bough, root, sessionID, turn } = await newProject({ git })
    const first = await turn('write a.txt: one', 'write z/b.txt: one')
    await turn('write a.txt: two', 'delete z/b.txt')
    const now = filesIn(root)
    rmSync(join(root, 'z'), { recursive: true, force: true })
    writeFileSync(join(root, 'z'), 'in the way\n')
    await bough.fork(sessionID, { messageID: first, files: 'restore' })
    expect(read(root, 'z/b.txt')).toBe('one\n')
    await bough.undo(root)
    expect(filesIn(root)).toEqual({ ...now, z: '100644 in the way\n' })
  })

  it('of a session whose files were never captured is refused in plain words', async () => {
    const { bough, sessionID } = await newProject({ git })
    await expect(bough.fork(sessionID, { files: 'restore' })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('nothing to put back'),
    })
  })
})

it('Restore deletes only files that the snapshot proves were not there: committed ones stay when it is gone', async () => {
  const {
    bough,
    home,
    root,
    sessionID,
    turn: talk,
  } = await newProject({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } })
  const first = await talk('write a.txt: one')
  await talk('write a.txt: two')
  rmSync(join(home.data, 'snapshots'), { recursive: true })
  const before = filesIn(root)
  await expect(bough.fork(sessionID, { messageID: first, files: 'restore' })).rejects.toThrow()
  expect(filesIn(root)).toEqual(before)
  expect(await bough.children(sessionID)).toEqual([])
})

it('A restore keeps HEAD, branches and index as they are', async () => {
  const { bough, root, sessionID, turn } = await newProject()
  const first = await turn('write a.txt: one')
  commitAll(root)
  await turn('write a.txt: two')
  person(root, 'add', '-A')
  const before = fingerprint(join(root, '.git'))
  await bough.fork(sessionID, { messageID: first, files: 'restore' })
  expect(read(root, 'a.txt')).toBe('one\n')
  expect(fingerprint(join(root, '.git'))).toEqual(before)
})

it('A turn after a restore goes on from the restored files', async () => {
  const { bough, sessionID, turn: talk } = await newProject()
  const first = await talk('write a.txt: one')
  await talk('write a.txt: two')
  const fork = await bough.fork(sessionID, { messageID: first, files: 'restore' })
  await turn(bough, fork.id, 'append a.txt: and more')
  expect((await bough.files(fork.id)).patch).toContain(' one\n+and more\n')
})

it('A restore whose fork cannot be stored changes nothing: what it did goes back', async () => {
  const { bough, root, sessionID, turn: talk } = await newProject()
  const first = await talk('write a.txt: one', 'write b.txt: one')
  await talk('write a.txt: two', 'delete b.txt')
  const before = filesIn(root)
  // Deleted while its files are put back: the fork has nothing to begin at any more.
  const [deleted, forked] = await Promise.allSettled([
    until('files are being put back', () => existsSync(join(root, 'b.txt'))).then(() =>
      bough.remove(sessionID),
    ),
    bough.fork(sessionID, { messageID: first, files: 'restore' }),
  ])
  expect(deleted.status).toBe('fulfilled')
  if (forked.status === 'rejected') {
    expect(filesIn(root)).toEqual(before)
    await expect(bough.undo(root)).rejects.toMatchObject({ code: 'not_found' })
  } else {
    await bough.undo(root)
    expect(filesIn(root)).toEqual(before)
  }
})

/** A project with a restore that a process left which died in the middle. */
async function leftHalfDone() {
  const project = await newProject()
  const { bough, home, root, sessionID, turn: talk } = project
  const first = await talk('write a.txt: one', 'write b.txt: one')
  await talk('write a.txt: two', 'delete b.txt')
  await bough.fork(sessionID, { messageID: first, files: 'restore' })
  const store = await openStore(home.data, Date.now)
  onTestFinished(() => store.close())
  const [restore] = await store.restores.all()
  if (!restore) throw new Error('there is none')
  const dead = { pid: 2 ** 22, started: '0', machine: restore.process.machine }
  await store.transaction((tx) => tx.restores.setState(restore.id, 'running', dead))
  put(root, { 'b.txt': 'half\n' })
  return { ...project, first, store }
}

it('A restore that was left half done is taken back or finished before the next', async () => {
  const { bough, root, sessionID, first } = await leftHalfDone()
  await expect(bough.fork(sessionID, { messageID: first, files: 'restore' })).rejects.toMatchObject({
    code: 'restore_failed',
    message: expect.stringContaining('"bough undo --finish"'),
  })
  const notices = []
  for await (const event of (await bough.send(sessionID, 'hello')).events) {
    if (event.type === 'notice') notices.push(event.text)
  }
  expect(notices.join()).toContain('was cut off')
  await bough.undo(root, { finish: true })
  expect(filesIn(root)).toEqual({ 'a.txt': '100644 one\n', 'b.txt': '100644 one\n' })
  await bough.undo(root)
  expect(filesIn(root)).toEqual({ 'a.txt': '100644 two\n' })
})

it.each([
  ['both take it back', {}],
  ['one would finish it', { finish: true }],
] as const)('Of two who go on at once with one that was left half done one does: %s', async (_, other) => {
  const { bough, home, root, store } = await leftHalfDone()
  const beside = await openForTest(home)
  const both = await Promise.allSettled([bough.undo(root), beside.undo(root, other)])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const refused = both.find(({ status }) => status === 'rejected')
  expect(refused).toMatchObject({ reason: { code: 'session_busy' } })
  const isFinished = 'finish' in other && both[1].status === 'fulfilled'
  expect(filesIn(root)).toEqual(
    isFinished ? { 'a.txt': '100644 one\n', 'b.txt': '100644 one\n' } : { 'a.txt': '100644 two\n' },
  )
  expect(await store.restores.unfinished()).toEqual([])
})
