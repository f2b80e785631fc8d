import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commitAll, filesIn, newRepository, person, put } from '../src/workspace/testing/ground.ts'
import { turn } from './support/bough.ts'
import { lastOf, newProject } from './support/project.ts'

const read = (...path: readonly string[]) => readFileSync(join(...path), 'utf8')
const status = (directory: string) => person(directory, 'status', '--porcelain').split('\n').filter(Boolean)
const branches = (root: string) =>
  person(root, 'for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n').filter(Boolean)
const worktrees = (root: string) =>
  person(root, 'worktree', 'list', '--porcelain')
    .split('\n')
    .filter((line) => line.startsWith('worktree '))

describe('auto', () => {
  it('is the same directory when its files are still as they were at the fork point, and says so', async () => {
    const { bough, root, sessionID, turn } = await newProject()
    const last = await turn('write a.txt: changed')
    const fork = await bough.fork(sessionID, { messageID: last })
    expect(fork).toMatchObject({ directory: root, workspaceID: null, messages: 0 })
    expect(fork.files).toMatchObject({ mode: 'same', why: expect.stringContaining('still as they were') })
    expect(worktrees(root)).toHaveLength(1)
  })

  it('is a worktree with the files of the fork point otherwise, and says so', async () => {
    const { bough, root, sessionID, turn } = await newProject()
    const first = await turn('write a.txt: one', 'write new.txt: one')
    await turn('write a.txt: two', 'delete new.txt')
    const fork = await bough.fork(sessionID, { messageID: first })
    expect(fork.files).toMatchObject({ mode: 'worktree', why: expect.stringContaining('(2 differ)') })
    expect(filesIn(fork.directory)).toEqual({ 'a.txt': '100644 one\n', 'new.txt': '100644 one\n' })
    expect(status(fork.directory)).toEqual([' M a.txt', '?? new.txt'])
    expect(filesIn(root)).toEqual({ 'a.txt': '100644 two\n' })
    const [notice] = await bough.messages(fork.id, { limit: 1 })
    expect(notice).toMatchObject({ role: 'system', parts: [{ type: 'notice' }] })
  })

  it('is a worktree also when only the person changed something since', async () => {
    const { bough, root, sessionID, turn } = await newProject()
    const last = await turn('write a.txt: one')
    await turn('Say: one more')
    put(root, { 'mine.txt': 'mine\n' })
    const fork = await bough.fork(sessionID, { messageID: last })
    expect(fork.files.mode).toBe('worktree')
    expect(existsSync(join(fork.directory, 'mine.txt'))).toBe(false)
    expect(read(root, 'mine.txt')).toBe('mine\n')
  })

  it('is a worktree with the current files at the newest message, when the person changed something since', async () => {
    const { bough, root, sessionID, turn } = await newProject()
    await turn('write a.txt: one')
    put(root, { 'mine.txt': 'mine\n' })
    const fork = await bough.fork(sessionID)
    expect(fork.files).toMatchObject({ mode: 'worktree', base: { branch: 'main', isCurrent: true } })
    expect(status(fork.directory)).toEqual([' M a.txt', '?? mine.txt'])
  })

  it('is the same directory where there is no git, with a notice when the files differ', async () => {
    const { bough, root, sessionID, turn } = await newProject({ git: false })
    const first = await turn('write a.txt: one')
    await turn('write a.txt: two')
    const fork = await bough.fork(sessionID, { messageID: first })
    expect(fork.directory).toBe(root)
    expect(fork.files.notices.join()).toContain('This is no git project')
    expect((await bough.messages(fork.id)).at(-1)?.parts).toMatchObject([{ type: 'notice' }])
    expect((await bough.fork(sessionID)).files.notices).toEqual([])
  })

  it('is the same directory as long as nothing is committed', async () => {
    const { bough, root, sessionID, turn } = await newProject({ git: false })
    person(root, 'init', '-q')
    const first = await turn('write a.txt: one')
    await turn('write a.txt: two')
    const fork = await bough.fork(sessionID, { messageID: first })
    expect(fork).toMatchObject({ directory: root, files: { mode: 'same' } })
    expect(fork.files.notices.join()).toContain('Nothing is committed here yet')
    await expect(bough.fork(sessionID, { messageID: first, files: 'worktree' })).rejects.toMatchObject({
      code: 'worktree_failed',
      message: expect.stringContaining('Nothing is committed'),
    })
  })
})

describe('worktree', () => {
  it('is on a branch bough/<slug> at the commit that was HEAD then, the uncommitted files uncommitted again', async () => {
    const { bough, root, sessionID, turn } = await newProject()
    const then = person(root, 'rev-parse', 'HEAD').trim()
    put(root, { 'mine.txt': 'mine\n' })
    const last = await turn('write a.txt: one')
    await turn('Say: one more')
    commitAll(root)
    const fork = await bough.fork(sessionID, { messageID: last, files: 'worktree', title: 'Café & prices!' })
    expect(person(fork.directory, 'rev-parse', 'HEAD').trim()).toBe(then)
    expect(person(fork.directory, 'branch', '--show-current').trim()).toMatch(/^bough\/cafe-prices-\w{6}$/)
    expect(status(fork.directory)).toEqual([' M a.txt', '?? mine.txt'])
    expect(status(root)).toEqual([])
  })

  it('begins inside a turn with the last files before that, and says so', async () => {
    const { bough, sessionID } = await newProject()
    const messages = await turn(bough, sessionID, 'write a.txt: one\nwrite b.txt: one')
    const inside = messages.find(({ role }) => role === 'tool')
    const fork = await bough.fork(sessionID, { messageID: inside?.id ?? 'msg_', files: 'worktree' })
    expect(fork.files.notices.join()).toContain('inside a turn')
    expect(filesIn(fork.directory)).toEqual({ 'a.txt': '100644 a\n' })
  })

  it('begun inside a turn tells its agent once that the files are older than the conversation', async () => {
    const { bough, sessionID } = await newProject()
    const messages = await turn(bough, sessionID, 'write a.txt: one\nwrite b.txt: one')
    const inside = messages.find(({ role }) => role === 'tool')
    const fork = await bough.fork(sessionID, { messageID: inside?.id ?? 'msg_', files: 'worktree' })
    const told = async (text: string) => JSON.stringify((await turn(bough, fork.id, text))[0]?.parts)
    expect(await told('Say: first')).toContain('The files here are older than this conversation')
    expect(await told('Say: second')).not.toContain('The files here')
    const whole = await bough.fork(sessionID, { files: 'worktree' })
    expect(JSON.stringify((await turn(bough, whole.id, 'Say: hello'))[0]?.parts)).not.toContain(
      'The files here',
    )
  })

  it('before the first message has the files that the first turn found', async () => {
    const { bough, sessionID } = await newProject()
    const [first] = await turn(bough, sessionID, 'write a.txt: one')
    const at = { messageID: first?.id ?? 'msg_', before: true } as const
    const fork = await bough.fork(sessionID, { ...at, files: 'worktree' })
    expect(fork.forkPoint).toBe(null)
    expect(filesIn(fork.directory)).toEqual({ 'a.txt': '100644 a\n' })
  })

  it('of a session that never ran has the files of now', async () => {
    const { bough, root, sessionID } = await newProject()
    put(root, { 'mine.txt': 'mine\n' })
    const fork = await bough.fork(sessionID, { files: 'worktree' })
    expect(status(fork.directory)).toEqual(['?? mine.txt'])
    expect(fork.files.notices.join()).toContain('the files as they are now')
  })

  it('works in the same directory of the project as the session that was forked', async () => {
    const { bough, root } = await newProject({ files: { 'sub/s.txt': 's\n' } })
    const { id } = await bough.create({ directory: join(root, 'sub') })
    const last = await lastOf(bough, id, ['write s.txt: one'])
    const fork = await bough.fork(id, { messageID: last, files: 'worktree' })
    expect(fork.directory.endsWith('/sub')).toBe(true)
    expect(read(fork.directory, 's.txt')).toBe('one\n')
  })

  it('of a fork in a worktree is a worktree of its own', async () => {
    const { bough, root, sessionID, turn } = await newProject()
    const last = await turn('write a.txt: one')
    const fork = await bough.fork(sessionID, { messageID: last, files: 'worktree' })
    const inFork = await lastOf(bough, fork.id, ['write a.txt: two', 'write b.txt: two'])
    await lastOf(bough, fork.id, ['write a.txt: three'])
    const again = await bough.fork(fork.id, { messageID: inFork })
    expect(again.files.mode).toBe('worktree')
    expect(filesIn(again.directory)).toEqual({ 'a.txt': '100644 two\n', 'b.txt': '100644 two\n' })
    expect(read(fork.directory, 'a.txt')).toBe('three\n')
    expect(read(root, 'a.txt')).toBe('one\n')
  })

  it('says so when the commit of that time is gone, and begins at the nearest that is left', async () => {
    const { bough, root, sessionID, turn } = await newProject()
    const base = person(root, 'rev-parse', 'HEAD').trim()
    await turn('write a.txt: one')
    commitAll(root, 'to be rewritten')
    const last = await turn('write a.txt: two')
    await turn('Say: one more')
    person(root, 'checkout', '-q', '--', '.')
    person(root, 'reset', '-q', '--hard', base)
    put(root, { 'b.txt': 'b\n' })
    commitAll(root, 'instead')
    person(root, 'reflog', 'expire', '--expire=now', '--all')
    person(root, 'gc', '-q', '--prune=now')
    const fork = await bough.fork(sessionID, { messageID: last, files: 'worktree' })
    expect(fork.files.notices.join()).toContain('is gone')
    expect(person(fork.directory, 'rev-parse', 'HEAD').trim()).toBe(base)
    expect(filesIn(fork.directory)).toEqual({ 'a.txt': '100644 two\n' })
  })

  it('never has the name of an earlier one', async () => {
    const { bough, root, sessionID, turn } = await newProject()
    const last = await turn('write a.txt: one')
    const make = () => bough.fork(sessionID, { messageID: last, files: 'worktree', title: 'Same' })
    const forks = [await make(), ...(await Promise.all([make(), make(), make()]))]
    expect(new Set(forks.map(({ directory }) => directory)).size).toBe(4)
    expect(branches(root)).toHaveLength(5)
  })

  it('is refused in plain words where there is no git, and leaves nothing', async () => {
    const { bough, home, sessionID, turn } = await newProject({ git: false })
    await turn('write a.txt: one')
    await expect(bough.fork(sessionID, { files: 'worktree' })).rejects.toMatchObject({
      code: 'worktree_failed',
      message: expect.stringContaining('no git project'),
    })
    expect(await bough.children(sessionID)).toEqual([])
    expect(existsSync(join(home.data, 'worktrees'))).toBe(false)
  })

  it('that cannot be made leaves nothing: no row, no directory, no branch', async () => {
    const { bough, home, root, sessionID, turn } = await newProject()
    const last = await turn('write a.txt: one')
    // git cannot write its entry there.
    writeFileSync(join(root, '.git', 'worktrees'), '')
    await expect(bough.fork(sessionID, { messageID: last, files: 'worktree' })).rejects.toMatchObject({
      code: 'worktree_failed',
    })
    expect(await bough.children(sessionID)).toEqual([])
    expect(branches(root)).toEqual(['main'])
    const [project = ''] = readdirSync(join(home.data, 'worktrees'))
    expect(readdirSync(join(home.data, 'worktrees', project))).toEqual([])
    rmSync(join(root, '.git', 'worktrees'))
    expect((await bough.fork(sessionID, { messageID: last, files: 'worktree' })).files.mode).toBe('worktree')
  })

  it('gets the ignored files that .worktreeinclude names', async () => {
    const files = { '.gitignore': '.env\ncache/\n', '.worktreeinclude': '.env\n', 'a.txt': 'a\n' }
    const { bough, root, sessionID, turn } = await newProject({ files })
    put(root, { '.env': 'KEY=1\n', 'cache/big': 'x' })
    const last = await turn('write a.txt: one')
    const fork = await bough.fork(sessionID, { messageID: last, files: 'worktree' })
    expect(read(fork.directory, '.env')).toBe('KEY=1\n')
    expect(existsSync(join(fork.directory, 'cache'))).toBe(false)
  })
})

describe('clean', () => {
  it('is a new worktree from that commit; uncommitted work stays behind, and it says how many files', async () => {
    const { bough, root, sessionID, turn } = await newProject()
    put(root, { 'mine.txt': 'mine\n' })
    const last = await turn('write a.txt: one')
    const fork = await bough.fork(sessionID, { messageID: last, files: 'clean' })
    expect(filesIn(fork.directory)).toEqual({ 'a.txt': '100644 a\n' })
    expect(status(fork.directory)).toEqual([])
    expect(fork.files.notices.join()).toContain('2 files of uncommitted work stayed behind')
  })

  it('says nothing of uncommitted work where there was none', async () => {
    const { bough, sessionID, turn } = await newProject()
    const last = await turn('hello')
    const fork = await bough.fork(sessionID, { messageID: last, files: 'clean' })
    expect(fork.files.notices.join()).toMatch(/with the files of that commit\.$/)
  })

  it('is what a fork of it begins with', async () => {
    const { bough, sessionID, turn } = await newProject()
    const last = await turn('write a.txt: one')
    const clean = await bough.fork(sessionID, { messageID: last, files: 'clean' })
    const fork = await bough.fork(clean.id)
    expect(fork).toMatchObject({ directory: clean.directory, files: { mode: 'same' } })
  })
})

describe('at the newest message', () => {
  const other = async () => {
    const project = await newProject()
    const { root } = project
    await project.turn('write a.txt: one')
    commitAll(root, 'since')
    person(root, 'checkout', '-q', '-b', 'other')
    put(root, { 'b.txt': 'b\n' })
    commitAll(root, 'on another branch')
    put(root, { 'mine.txt': 'mine\n' })
    return { ...project, head: person(root, 'rev-parse', 'HEAD').trim() }
  }

  it('a worktree begins at the current commit with the current files, and its notice names both', async () => {
    const { bough, sessionID, head } = await other()
    const { files } = await bough.previewFork(sessionID, { files: 'worktree' })
    expect(files.base).toEqual({ commit: head, branch: 'other', isCurrent: true })
    const fork = await bough.fork(sessionID, { files: 'worktree' })
    expect(person(fork.directory, 'rev-parse', 'HEAD').trim()).toBe(head)
    expect(status(fork.directory)).toEqual(['?? mine.txt'])
    expect(fork.files.notices.join()).toMatch(
      new RegExp(`from commit ${head.slice(0, 8)} of other, with the files as they are now; 1 file not`),
    )
  })

  it('clean begins at the current commit, and counts what is not committed now', async () => {
    const { bough, sessionID, head } = await other()
    const fork = await bough.fork(sessionID, { files: 'clean' })
    expect(person(fork.directory, 'rev-parse', 'HEAD').trim()).toBe(head)
    expect(Object.keys(filesIn(fork.directory))).toEqual(['a.txt', 'b.txt'])
    expect(fork.files.notices.join()).toMatch(
      new RegExp(`from commit ${head.slice(0, 8)} of other, .* 1 file of uncommitted work stayed behind`),
    )
  })

  it('an earlier message has the commit and the files of that message', async () => {
    const { bough, sessionID, root } = await other()
    const [first] = await bough.messages(sessionID, { limit: 1 })
    await turn(bough, sessionID, 'Say: later')
    const then = person(root, 'rev-parse', 'main~1').trim()
    const fork = await bough.fork(sessionID, { messageID: first?.id ?? 'msg_', files: 'worktree' })
    expect(fork.files.base).toEqual({ commit: then, branch: 'main', isCurrent: false })
    expect(person(fork.directory, 'rev-parse', 'HEAD').trim()).toBe(then)
    expect(status(fork.directory)).toEqual([' M a.txt'])
  })

  it('a fork of a fork without prompts has the files that it inherits, and claims nothing else', async () => {
    const { bough, sessionID, turn: ask } = await newProject()
    await ask('write a.txt: one')
    const fork = await bough.fork(sessionID, { context: 'seed', files: 'same' })
    // The notice that the conversation was handed over is no message of a turn.
    await bough.seed(fork.id)
    const { files } = await bough.previewFork(fork.id, { files: 'restore' })
    expect(files).toMatchObject({ notices: [], changes: [] })
  })
})

describe('same', () => {
  it('is the same directory with its files as they are now, and one row', async () => {
    const { bough, root, sessionID, turn } = await newProject()
    const first = await turn('write a.txt: one')
    await turn('write a.txt: two')
    const fork = await bough.fork(sessionID, { messageID: first, files: 'same' })
    expect(fork).toMatchObject({ directory: root, messages: 0, files: { mode: 'same', notices: [] } })
    expect(read(root, 'a.txt')).toBe('two\n')
  })

  it('of a session in a worktree shares that worktree, which stays as long as one of them lives', async () => {
    const { bough, sessionID, turn } = await newProject()
    const last = await turn('write a.txt: one')
    const fork = await bough.fork(sessionID, { messageID: last, files: 'worktree' })
    const beside = await bough.fork(fork.id, { files: 'same' })
    expect(beside.workspaceID).toBe(fork.workspaceID)
    expect((await bough.remove(fork.id)).workspace).toBe(null)
    expect(existsSync(beside.directory)).toBe(true)
    expect((await bough.remove(beside.id)).workspace).toMatchObject({ removed: true })
    expect(existsSync(beside.directory)).toBe(false)
  })
})

describe('the set-up command', () => {
  it('of the person runs in the new worktree, and its output is shown', async () => {
    const setup = 'echo from "$BOUGH_ORIGIN"; pwd > where.log; echo done >&2'
    const { bough, root, sessionID, turn } = await newProject({
      files: { 'a.txt': 'a\n', '.gitignore': '*.log\n' },
      config: { worktree: { setup } },
    })
    const last = await turn('write a.txt: one')
    let output = ''
    const onSetUp = (text: string) => {
      output += text
    }
    const fork = await bough.fork(sessionID, { messageID: last, files: 'worktree', onSetUp })
    expect(output).toContain(`from ${root}\n`)
    expect(output).toContain('done\n')
    expect(read(fork.directory, 'where.log')).toBe(`${fork.directory}\n`)
    expect(fork.files.notices.join()).not.toContain('set-up')
  })

  it('is left out when a script that it runs has changed, until the person has approved that', async () => {
    const { bough, root, sessionID, turn } = await newProject({
      files: { 'set-up.sh': 'echo known\n' },
      config: { worktree: { setup: 'sh ./set-up.sh > ran.log' } },
    })
    await turn('write a.txt: one')
    const fork = () => bough.fork(sessionID, { files: 'worktree' })
    expect(read((await fork()).directory, 'ran.log')).toBe('known\n')
    writeFileSync(join(root, 'set-up.sh'), 'echo changed\n')
    const without = await fork()
    expect(existsSync(join(without.directory, 'ran.log'))).toBe(false)
    expect(without.files.notices.join()).toContain('set-up.sh has changed since it ran last')
    const { parts } = await bough.trust(root)
    expect(parts).toMatchObject([{ name: 'worktree.setup', file: 'set-up.sh', approved: false }])
    await bough.grantTrust(
      root,
      parts.map(({ id }) => id),
    )
    expect(read((await fork()).directory, 'ran.log')).toBe('changed\n')
  })

  it('that fails leaves a fork that says so', async () => {
    const { bough, sessionID, turn } = await newProject({
      config: { worktree: { setup: 'echo no network; exit 3' } },
    })
    const last = await turn('write a.txt: one')
    const fork = await bough.fork(sessionID, { messageID: last, files: 'worktree' })
    expect(fork.files.notices.join()).toContain('failed with exit code 3')
    const [notice] = await bough.messages(fork.id, { limit: 1 })
    expect(notice?.parts).toMatchObject([{ text: expect.stringContaining('no network') }])
  })

  it('that is given up leaves nothing: no row, no directory, no branch', async () => {
    const { bough, root, sessionID, turn } = await newProject({
      config: { worktree: { setup: 'echo began; sleep 600' } },
    })
    const last = await turn('write a.txt: one')
    const stop = new AbortController()
    const onSetUp = () => stop.abort(new Error('given up'))
    const making = bough.fork(sessionID, { messageID: last, files: 'worktree', onSetUp, signal: stop.signal })
    await expect(making).rejects.toThrow('given up')
    expect(await bough.children(sessionID)).toEqual([])
    expect(branches(root)).toEqual(['main'])
    expect(worktrees(root)).toHaveLength(1)
  })

  it('is never one from the repository', async () => {
    const { bough, root, sessionID, turn } = await newProject({
      files: {
        'config.json': '{"worktree":{"setup":"touch ran"}}',
        '.worktreesetup': 'touch ran',
        'a.txt': '',
      },
    })
    mkdirSync(join(root, '.bough'))
    put(root, { '.bough/config.json': '{"worktree":{"setup":"touch ran"}}' })
    const last = await turn('write a.txt: one')
    const fork = await bough.fork(sessionID, { messageID: last, files: 'worktree' })
    expect(existsSync(join(fork.directory, 'ran'))).toBe(false)
  })
})

it('Forks in worktrees of their own never see each other’s files', async () => {
  const { bough, root, sessionID, turn } = await newProject()
  const last = await turn('write a.txt: shared')
  const forks = await Promise.all(
    [1, 2, 3].map(() => bough.fork(sessionID, { messageID: last, files: 'worktree' })),
  )
  await Promise.all(
    forks.map(({ id }, i) =>
      lastOf(bough, id, [`write a.txt: ${i}`, `write only-${i}.txt: ${i}`, 'run touch t']),
    ),
  )
  for (const [i, { directory, id }] of forks.entries()) {
    const own = { 'a.txt': `100644 ${i}\n`, [`only-${i}.txt`]: `100644 ${i}\n`, t: '100644 ' }
    expect(filesIn(directory)).toEqual(own)
    expect((await bough.files(id)).changes.map(({ path }) => path)).toEqual(Object.keys(own))
  }
  expect(filesIn(root)).toEqual({ 'a.txt': '100644 shared\n' })
})

it('A session whose worktree was removed can still be forked, into a worktree again', async () => {
  const { bough, root, sessionID, turn } = await newProject()
  const last = await turn('write a.txt: one')
  const fork = await bough.fork(sessionID, { messageID: last, files: 'worktree' })
  const inFork = await lastOf(bough, fork.id, ['write a.txt: two'])
  await bough.change(fork.id, { archived: true })
  await bough.gc()
  expect(existsSync(fork.directory)).toBe(false)
  await expect(bough.send(fork.id, 'write a.txt: three')).rejects.toMatchObject({
    code: 'directory_gone',
    message: expect.stringContaining(`"bough fork ${fork.id}" goes on in a new one with its files`),
  })
  const again = await bough.fork(fork.id, { messageID: inFork })
  expect(again.files).toMatchObject({ mode: 'worktree', why: expect.stringContaining('is gone') })
  expect(read(again.directory, 'a.txt')).toBe('two\n')
  expect(status(root)).toEqual([' M a.txt'])
})

it('In a linked worktree of the person’s own, forks are of that one', async () => {
  const main = await newRepository()
  const { bough } = await newProject()
  const linked = `${main}-linked`
  execFileSync('git', ['worktree', 'add', '-q', '-b', 'other', linked], { cwd: main })
  put(linked, { 'b.txt': 'b\n' })
  commitAll(linked)
  const { id } = await bough.create({ directory: linked })
  const last = await lastOf(bough, id, ['write b.txt: one'])
  const fork = await bough.fork(id, { messageID: last, files: 'worktree' })
  expect(filesIn(fork.directory)).toEqual({ 'a.txt': '100644 a\n', 'b.txt': '100644 one\n' })
  expect(status(main)).toEqual([])
})
