import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createIds, type SessionID } from '../../../src/tree/ids.ts'
import { lookInto } from '../ground.ts'
import { count } from '../size.ts'
import { type Ground, type OpenGround, refused, unknown } from './ground.ts'

export const sessions = (open: OpenGround) =>
  describe('sessions', () => {
    it('begin with what is named, and are read by their id', async () => {
      const { bough, directory } = await open()
      const named = {
        title: 'Soup',
        agent: 'offline',
        model: 'small',
        directory,
        sandbox: 'auto' as const,
        labels: ['food', 'a, b'],
      }
      const made = await bough.create(named)
      expect(made).toMatchObject({ ...named, kind: 'root', parentID: null, forkPoint: null, state: 'idle' })
      expect(await bough.session(made.id)).toEqual(made)
      await refused(bough.session(unknown.session), 'not_found')
    })

    it('are not made where something is wrong', async () => {
      const { bough, directory } = await open()
      await refused(bough.create({ agent: 'nobody', directory }), 'agent_unknown')
      await refused(bough.create({ directory: join(directory, 'nowhere') }), 'directory_gone')
      await refused(bough.create({ title: '  ', directory }), 'bad_input')
      await refused(bough.create({ title: '', directory }), 'bad_input')
      expect(await bough.sessions()).toEqual([])
    })

    it('are listed newest first, by what they are like', async () => {
      const { bough, directory, turn, session, agent } = await open()
      const first = await session('One soup')
      const second = (
        await bough.create({ directory, agent: 'scripted', labels: ['x'], title: '100% ünique' })
      ).id
      const last = await turn(first, 'hello')
      const fork = (await bough.fork(first, { messageID: last, files: 'same' })).id
      const ids = async (query?: Parameters<typeof bough.sessions>[0]) =>
        (await bough.sessions(query)).map(({ id }) => id)
      expect(await ids()).toEqual([fork, second, first])
      expect(await ids({ limit: 1 })).toEqual([fork])
      expect(await ids({ limit: 0 })).toEqual([])
      expect(await ids({ before: fork, limit: 5 })).toEqual([second, first])
      expect(await ids({ agent: 'scripted' })).toEqual([second])
      expect(await ids({ label: 'x' })).toEqual([second])
      expect(await ids({ parentID: first })).toEqual([fork])
      expect(await ids({ q: '100% ü' })).toEqual([second])
      expect(await ids({ q: '' })).toHaveLength(3)
      expect(await ids({ directory })).toHaveLength(3)
      expect(await ids({ directory: join(directory, 'other') })).toEqual([])
      await bough.change(second, { archived: true })
      expect(await ids({ archived: true })).toEqual([second])
      expect(await ids({ archived: false })).toEqual([fork, first])
      const held = await bough.send(first, 'sleep 1')
      await agent.held(1)
      expect(await ids({ state: 'running' })).toEqual([first])
      agent.release(1)
      await held.ended
    })

    it('are all listed, also where there are more than a page has', async () => {
      const ground = await open()
      const made = await manySessions(ground, count(3_500, 1_005))
      const listed = async (limit?: number) =>
        (await ground.bough.sessions(limit === undefined ? {} : { limit })).map(({ id }) => id)
      expect(await listed()).toEqual(made)
      expect(await listed(1_003)).toEqual(made.slice(0, 1_003))
      const [, , third] = made
      if (third) expect((await ground.bough.sessions({ before: third })).length).toBe(made.length - 3)
    })

    it('are found by whole or shortened ids', async () => {
      const { bough, session } = await open()
      const id = await session()
      await session()
      expect((await bough.findSession(id)).id).toBe(id)
      expect((await bough.findSession(id.slice(-8))).id).toBe(id)
      await refused(bough.findSession(id.slice(4, 7)), 'ambiguous_id')
      await refused(bough.findSession(id.slice(-3)), 'bad_input')
      await refused(bough.findSession('zzzzzzzz'), 'not_found')
      await refused(bough.findSession('what?'), 'bad_input')
      await refused(bough.findSession(''), 'bad_input')
    })

    it('that cannot be found, or named so, are refused in words for a person, whichever way one came', async () => {
      const { bough, session, directory } = await open()
      const id = await session()
      // What a variable of a shell is that nobody has set.
      for (const typed of ['', 'y'.repeat(250)])
        for (const find of [
          () => bough.findSession(typed),
          () => bough.findMessage(id, typed),
          () => bough.findPermission(typed),
          () => bough.findSchedule(typed),
          () => bough.findSnapshot(typed),
        ])
          await expect(find()).rejects.toThrow(`"${typed}" is not an id.`)
      for (const [title, why] of [
        ['', 'A title needs at least one character that shows.'],
        ['x'.repeat(501), 'A title may have 500 characters at most'],
      ] as const)
        for (const name of [
          () => bough.create({ title, directory }),
          () => bough.change(id, { title }),
          () => bough.fork(id, { title, files: 'same' }),
        ])
          await expect(name()).rejects.toThrow(why)
    })

    it('are changed in title, model, labels and whether they are archived', async () => {
      const { bough, session } = await open()
      const id = await session()
      const change = { title: 'New', model: 'big', labels: ['a', 'b'], archived: true }
      expect(await bough.change(id, change)).toMatchObject(change)
      expect(await bough.change(id, { labels: [] })).toMatchObject({ ...change, labels: [] })
      expect(await bough.change(id, {})).toMatchObject({ title: 'New', archived: true })
      await refused(bough.change(id, { title: ' ' }), 'bad_input')
      await refused(bough.change(id, { title: 'x'.repeat(501) }), 'bad_input')
      await refused(bough.create({ title: 'x'.repeat(501) }), 'bad_input')
      await refused(bough.fork(id, { title: 'x'.repeat(501) }), 'bad_input')
      await refused(bough.change(unknown.session, { title: 'x' }), 'not_found')
    })

    it('are removed; a tombstone stays where others stand on them', async () => {
      const { bough, session, turn } = await open()
      const [alone, parent] = [await session(), await session()]
      await turn(parent, 'hello')
      const fork = await bough.fork(parent, { files: 'same' })
      expect(await bough.remove(alone)).toEqual({ kept: false, workspace: null })
      expect(await bough.remove(parent)).toEqual({ kept: true, workspace: null })
      await refused(bough.session(parent), 'not_found')
      await refused(bough.remove(parent), 'not_found')
      expect((await bough.tree()).map(({ id, deleted, depth }) => [id, deleted, depth])).toEqual([
        [parent, true, 0],
        [fork.id, false, 1],
      ])
      expect((await bough.messages(fork.id)).map(({ role }) => role)).toEqual(['user', 'assistant'])
    })

    it('make a tree: children, the tree around one, and all trees', async () => {
      const { bough, session, turn } = await open()
      const [root, other] = [await session('root'), await session('other')]
      await turn(root, 'hello')
      const a = await bough.fork(root, { files: 'same', title: 'a' })
      const b = await bough.fork(a.id, { files: 'same', title: 'b' })
      expect((await bough.children(root)).map(({ id }) => id)).toEqual([a.id])
      expect(await bough.children(b.id)).toEqual([])
      const titles = async (id?: SessionID) =>
        (await bough.tree(id)).map(({ title, depth }) => `${depth} ${title}`)
      expect(await titles(b.id)).toEqual(['0 root', '1 a', '2 b'])
      expect(await titles()).toEqual(['0 root', '1 a', '2 b', '0 other'])
      expect(await titles(other)).toEqual(['0 other'])
      await refused(bough.children(unknown.session), 'not_found')
      await refused(bough.tree(unknown.session), 'not_found')
    })

    it('are compared: where they part, and what each said after that', async () => {
      const { bough, session, turn } = await open()
      const root = await session()
      const common = await turn(root, 'hello')
      const fork = await bough.fork(root, { files: 'same' })
      await turn(root, 'in the root')
      await turn(fork.id, 'in the fork')
      const diff = await bough.diff(root, fork.id)
      expect(diff.common?.id).toBe(common)
      expect(diff.a).toMatchObject({ session: { id: root }, tail: [{ text: 'in the root' }, {}] })
      expect(diff.b).toMatchObject({ session: { id: fork.id }, tail: [{ text: 'in the fork' }, {}] })
      expect(diff).not.toHaveProperty('files')
      expect((await bough.diff(root, fork.id, { files: true })).files).toMatchObject({ changes: [] })
      await refused(bough.diff(root, unknown.session), 'not_found')
      await refused(bough.diff(unknown.session, root), 'not_found')
    })
  })

/** So many sessions, written at once; the newest first. */
async function manySessions({ home, directory }: Ground, many: number): Promise<readonly SessionID[]> {
  const ids = createIds(Date.now, (length) => crypto.getRandomValues(new Uint8Array(length)))
  const made = Array.from({ length: many }, () => ids.session())
  const store = await lookInto(home)
  await store.transaction(async (tx) => {
    for (const id of made)
      await tx.sessions.insert({
        ...{ id, parentID: null, forkPoint: null, title: id, titled: true, agent: 'offline', model: null },
        ...{ directory, kind: 'root', labels: [], created: Date.now() },
      })
  })
  return made.toReversed()
}
