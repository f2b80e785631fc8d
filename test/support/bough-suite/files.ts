import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type OpenGround, refused, unknown } from './ground.ts'

const files = { 'a.txt': 'a\n' }

export const filesOfSessions = (open: OpenGround) =>
  describe('files', () => {
    it('are told as the turn of a message, or the last one, changed them', async () => {
      const { bough, session, turn } = await open({ files })
      const id = await session()
      const first = await turn(id, 'write b.txt: b')
      await turn(id, 'delete a.txt', 'write b.txt: c')
      expect((await bough.files(id, first)).changes).toEqual([{ path: 'b.txt', change: 'added' }])
      const last = await bough.files(id)
      expect(last.changes).toEqual([
        { path: 'a.txt', change: 'deleted' },
        { path: 'b.txt', change: 'changed' },
      ])
      expect(last.patch).toContain('-b\n+c')
      await refused(bough.files(unknown.session), 'not_found')
      await refused(bough.files(id, unknown.message), 'not_found')
    })

    it('stand in git: the branch and how many are dirty, beside how full the agent is', async () => {
      const { bough, session, turn, directory } = await open({ files })
      const id = await session()
      expect(await bough.status(id)).toEqual({
        git: { branch: 'main', dirty: 0 },
        messages: 0,
        tokens: 0,
        window: null,
      })
      const first = await turn(id, 'write b.txt: b', 'write a.txt: other')
      writeFileSync(join(directory, 'with space "é".txt'), '')
      await turn(id, `Say: ${'x'.repeat(4000)}`)
      const now = await bough.status(id)
      expect(now).toMatchObject({ git: { branch: 'main', dirty: 3 }, messages: 8, window: null })
      expect(now.tokens).toBeGreaterThan(1000)
      const then = await bough.status(id, { messageID: first, agent: 'scripted' })
      expect(then).toMatchObject({ git: now.git, window: 200_000 })
      expect(then.tokens).toBeLessThan(500)
      const before = await bough.status(id, { messageID: first, before: true })
      expect(before.tokens).toBeLessThan(then.tokens)
      await refused(bough.status(unknown.session), 'not_found')
      await refused(bough.status(id, { messageID: unknown.message }), 'not_found')
      await refused(bough.status(id, { agent: 'nobody' }), 'agent_unknown')
    })

    it('stand in no git where there is none', async () => {
      const { bough, session } = await open()
      expect(await bough.status(await session())).toMatchObject({ git: null })
    })

    it('are found by letters of their paths, but for those that git ignores and those outside', async () => {
      const { bough, session, directory } = await open({
        files: { ...files, 'src/tab/composer.ts': '', 'src/old-composer.ts': '', '.gitignore': 'out/\n' },
      })
      const id = await session()
      for (const path of ['out/composer.js', 'src/new composer é.ts', 'src/tab/gone.ts']) {
        mkdirSync(dirname(join(directory, path)), { recursive: true })
        writeFileSync(join(directory, path), '')
      }
      rmSync(join(directory, 'src/old-composer.ts'))
      expect(await bough.findFiles(id, { q: 'composer' })).toEqual([
        'src/tab/composer.ts',
        'src/new composer é.ts',
      ])
      expect(await bough.findFiles(id, { q: 'STCOM' })).toEqual(['src/tab/composer.ts'])
      expect(await bough.findFiles(id, { q: 'tab comp' })).toEqual(['src/tab/composer.ts'])
      expect(await bough.findFiles(id, { limit: 2 })).toEqual(['.gitignore', 'a.txt'])
      expect(await bough.findFiles(id, { q: '../' })).toEqual([])
      const below = (await bough.create({ agent: 'offline', directory: join(directory, 'src') })).id
      expect(await bough.findFiles(below)).toEqual(['new composer é.ts', 'tab/composer.ts', 'tab/gone.ts'])
      await refused(bough.findFiles(unknown.session), 'not_found')
    })

    it('are found where there is no git, too', async () => {
      const { bough, session, directory } = await open()
      writeFileSync(join(directory, '.gitignore'), '*.log\n')
      for (const name of ['notes.md', 'a.log']) writeFileSync(join(directory, name), '')
      expect(await bough.findFiles(await session())).toEqual(['.gitignore', 'notes.md'])
    })

    it('are compared: of sessions, of snapshots, of directories', async () => {
      const { bough, session, turn, directory } = await open({ files })
      const id = await session()
      const first = await turn(id, 'write a.txt: one')
      await turn(id, 'write a.txt: two')
      const snapshotID = (await bough.findMessage(id, first)).snapshot ?? unknown.snapshot
      const changed = [{ path: 'a.txt', change: 'changed' }]
      const then = { sessionID: id, messageID: first }
      expect((await bough.compareFiles(then, { sessionID: id })).changes).toEqual(changed)
      expect((await bough.compareFiles({ snapshotID }, then)).changes).toEqual([])
      writeFileSync(join(directory, 'a.txt'), 'three\n')
      const now = await bough.compareFiles({ snapshotID }, { directory })
      expect(now).toMatchObject({ changes: changed, to: { id: null } })
      expect(now.patch).toContain('+three')
      const nothing = { snapshotID: unknown.snapshot }
      await refused(bough.compareFiles(nothing, { directory }), 'not_found')
      await refused(bough.compareFiles({ sessionID: unknown.session }, { directory }), 'not_found')
      expect((await bough.findSnapshot(snapshotID.slice(-10))).id).toBe(snapshotID)
      await refused(bough.findSnapshot('zzzzzzzz'), 'not_found')
      await expect(bough.findSnapshot('zzzzzzzz')).rejects.toThrow('"bough log <session> --json" lists them')
      await refused(bough.findSnapshot('no id'), 'bad_input')
    })

    it('are put back to how they were at a message, and that is taken back', async () => {
      const { bough, session, turn, directory } = await open({ files })
      const read = () => readFileSync(join(directory, 'a.txt'), 'utf8')
      const id = await session()
      const first = await turn(id, 'write a.txt: one')
      await turn(id, 'write a.txt: two')
      const changes = [{ path: 'a.txt', change: 'changed' }]
      const look = await bough.restore(id, { messageID: first, dryRun: true })
      expect(look).toMatchObject({ changes, root: directory, before: null })
      expect(read()).toBe('two\n')
      const { before } = await bough.restore(id, { messageID: first })
      expect([read(), before]).toEqual(['one\n', expect.stringMatching(/^snp_/)])
      expect((await bough.undo(directory, { dryRun: true })).changes).toEqual(changes)
      expect(read()).toBe('one\n')
      const undone = await bough.undo(directory)
      expect([read(), undone.changes]).toEqual(['two\n', changes])
      await bough.undo(directory, { snapshotID: undone.before ?? unknown.snapshot })
      expect(read()).toBe('one\n')
      await bough.restore(id)
      expect(read()).toBe('two\n')
    })

    it('are not put back where nobody knows what they were', async () => {
      const { bough, session, turn, directory } = await open({ files })
      const [id, other] = [await session(), await session()]
      await turn(id, 'hello')
      const elsewhere = await turn(other, 'hello')
      await refused(bough.restore(unknown.session), 'not_found')
      await refused(bough.restore(id, { messageID: unknown.message }), 'not_found')
      await refused(bough.restore(id, { messageID: elsewhere }), 'not_on_line')
      await refused(bough.undo(directory), 'not_found')
      await refused(bough.undo(directory, { snapshotID: unknown.snapshot }), 'not_found')
      await refused(bough.undo(join(directory, 'nowhere')), 'directory_gone')
    })

    it('of a fork in a worktree of its own are a workspace, which goes with the fork', async () => {
      const { bough, session, turn, directory } = await open({ files })
      const id = await session()
      await turn(id, 'hello')
      const fork = await bough.fork(id, { files: 'worktree' })
      const used = await bough.workspaces()
      expect(used.map((use) => [use.directory, use.workspaceID, use.sessions])).toEqual([
        [fork.directory, fork.workspaceID, 1],
        [directory, null, 1],
      ])
      const { workspace } = await bough.remove(fork.id)
      expect(workspace).toMatchObject({ path: fork.directory, removed: true, kept: null })
      expect((await bough.workspaces()).map((use) => use.directory)).toEqual([directory])
    })

    it('that nobody needs are freed, or only counted', async () => {
      const { bough, session, turn } = await open({ files })
      const id = await session()
      await turn(id, 'write a.txt: one')
      const look = await bough.gc({ dryRun: true })
      expect(look.items.filter(({ goes }) => goes)).toEqual([])
      expect((await bough.gc()).items.map(({ kind }) => kind)).toEqual(['snapshots'])
      expect((await bough.files(id)).changes).toHaveLength(1)
    })
  })
