import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TreeEvent } from '../tree/event.ts'
import { createIds, type Ids, type SessionID } from '../tree/ids.ts'
import type { NewMessage, Part } from '../tree/message.ts'
import type { Restore } from '../tree/restore.ts'
import type { Snapshot } from '../tree/snapshot.ts'
import type { Workspace } from '../tree/workspace.ts'
import { readPage, readPositions } from './line.ts'
import type { Store } from './store.ts'

/** Where a store under test lives: opened twice it is the same data, as for two processes. */
export interface Place {
  open(clock: () => number): Promise<Store>
  remove(): Promise<void>
}

/** What every implementation of the store must hold. */
export function describeStore(engine: string, makePlace: () => Promise<Place>): void {
  describe(`the store on ${engine}`, () => {
    let place: Place
    let store: Store
    let ids: Ids
    let now = 1_700_000_000_000
    const open: Store[] = []
    const another = async () => {
      const opened = await place.open(() => now)
      open.push(opened)
      return opened
    }

    beforeEach(async () => {
      now = 1_700_000_000_000
      place = await makePlace()
      ids = createIds(
        () => now++,
        (length) => crypto.getRandomValues(new Uint8Array(length)),
      )
      store = await another()
    })
    afterEach(async () => {
      for (const each of open.splice(0)) await each.close()
      await place.remove()
    })

    const root = async (title = 'Root'): Promise<SessionID> => {
      const id = ids.session()
      await store.transaction(async (tx) => {
        await tx.sessions.insert({
          id,
          parentID: null,
          forkPoint: null,
          title,
          titled: false,
          agent: 'offline',
          model: null,
          directory: '/project',
          kind: 'root',
          labels: [],
          created: now,
        })
        tx.record({ kind: 'session.created', sessionID: id })
      })
      return id
    }
    const said = (text: string, more: Partial<NewMessage> = {}): NewMessage => ({
      id: ids.message(),
      role: 'user',
      parts: [{ type: 'text', text }],
      status: 'complete',
      created: now,
      ...more,
    })
    const say = (sessionID: SessionID, ...texts: string[]) =>
      store.transaction((tx) =>
        tx.messages.append(
          sessionID,
          texts.map((text) => said(text)),
        ),
      )
    const texts = async (sessionID: SessionID) =>
      (await readPage(store, sessionID, {})).map((message) => message.text)

    it('gives back what was written, to another process too', async () => {
      const id = await root('Übergrößenträger 👩‍🚀')
      const parts: Part[] = [
        { type: 'text', text: 'line\nbreak \u2028 "quotes" 文' },
        { type: 'reasoning', text: 'hm' },
        { type: 'tool-call', callID: 'c1', name: 'run', args: { command: ['a', 1, null, true] } },
        { type: 'tool-result', callID: 'c1', name: 'run', output: '\u001b[31mred', exitCode: 3 },
        { type: 'context', text: 'before' },
        { type: 'notice', text: 'note' },
      ]
      const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4, costUSD: 0.5 }
      const message = said('', {
        parts,
        usage,
        nativeID: 'native-1',
        role: 'assistant',
        status: 'interrupted',
      })
      await store.transaction((tx) => tx.messages.append(id, [message]))
      const other = await another()
      expect(await other.messages.get(message.id)).toEqual({
        ...message,
        sessionID: id,
        seq: 1,
        text: 'line\nbreak \u2028 "quotes" 文',
        snapshot: null,
      })
      expect(await other.sessions.get(id)).toMatchObject({
        title: 'Übergrößenträger 👩‍🚀',
        messages: 1,
        state: 'idle',
      })
    })

    it('keeps no NUL and no half of a surrogate pair', async () => {
      const id = await root('a\0b\ud800')
      const [message] = await say(id, 'x\0y\udc00')
      expect(message?.text).toBe('x\uFFFDy\uFFFD')
      expect((await store.sessions.get(id))?.title).toBe('a\uFFFDb\uFFFD')
    })

    it('numbers the messages of a session 1, 2, 3 without a gap', async () => {
      const [a, b] = [await root(), await root()]
      await say(a, 'one', 'two')
      await say(b, 'other')
      await say(a, 'three')
      const line = await readPage(store, a, {})
      expect(line.map((message) => message.seq)).toEqual([1, 2, 3])
    })

    it('refuses the same native entry twice in one session', async () => {
      const id = await root()
      await store.transaction((tx) => tx.messages.append(id, [said('a', { nativeID: 'n' })]))
      await expect(
        store.transaction((tx) => tx.messages.append(id, [said('b', { nativeID: 'n' })])),
      ).rejects.toThrow()
      expect(await texts(id)).toEqual(['a'])
    })

    it('does all of a transaction or nothing, events included', async () => {
      const id = await root()
      const before = (await store.events.bounds()).last
      const failing = store.transaction(async (tx) => {
        await tx.messages.append(id, [said('lost')])
        tx.record({ kind: 'session.updated', sessionID: id })
        throw new Error('changed my mind')
      })
      await expect(failing).rejects.toThrow('changed my mind')
      expect(await texts(id)).toEqual([])
      expect((await store.events.bounds()).last).toBe(before)
      await say(id, 'works again')
      expect(await texts(id)).toEqual(['works again'])
    })

    it('shows nobody a transaction that is not finished', async () => {
      const id = await root()
      const other = await another()
      await store.transaction(async (tx) => {
        await tx.messages.append(id, [said('soon')])
        expect((await store.sessions.get(id))?.messages).toBe(0)
        expect((await other.sessions.get(id))?.messages).toBe(0)
        expect((await tx.sessions.get(id))?.messages).toBe(1)
      })
      expect((await other.sessions.get(id))?.messages).toBe(1)
    })

    it('runs transactions of one and of two processes one after the other', async () => {
      const id = await root()
      const other = await another()
      const work = Array.from({ length: 40 }, (_, i) =>
        (i % 2 ? store : other).transaction(async (tx) => {
          const before = (await tx.sessions.get(id))?.messages ?? 0
          await tx.messages.append(id, [said(String(before))])
        }),
      )
      await Promise.all(work)
      expect(await texts(id)).toEqual(Array.from({ length: 40 }, (_, i) => String(i)))
    })

    it('reads a page of a line through nested forks, from the head or before a message', async () => {
      const a = await root()
      const [, a2] = await say(a, 'a1', 'a2', 'a3')
      const b = ids.session()
      const insert = (id: SessionID, parentID: SessionID, forkPoint: NewMessage['id'] | null) =>
        store.transaction((tx) =>
          tx.sessions.insert({
            id,
            parentID,
            forkPoint,
            title: id,
            titled: true,
            agent: 'offline',
            model: null,
            directory: '/project',
            kind: 'branch',
            labels: [],
            created: now,
          }),
        )
      await insert(b, a, a2?.id ?? null)
      const [b1] = await say(b, 'b1', 'b2')
      const c = ids.session()
      await insert(c, b, b1?.id ?? null)
      await say(c, 'c1')
      expect(await texts(c)).toEqual(['a1', 'a2', 'b1', 'c1'])
      expect((await readPage(store, c, { limit: 2 })).map((m) => m.text)).toEqual(['b1', 'c1'])
      const before = b1 ? { before: b1.id, limit: 1 } : {}
      expect((await readPage(store, c, before)).map((m) => m.text)).toEqual(['a2'])
      expect(await store.sessions.line(c)).toMatchObject([
        { sessionID: a, last: 2 },
        { sessionID: b, last: 1 },
        { sessionID: c, last: 1 },
      ])
    })

    it('reads a long line in pieces and lets the event loop go on between them', async () => {
      const id = await root()
      await say(id, ...Array.from({ length: 3000 }, (_, i) => String(i)))
      let loops = 0
      const count = setInterval(() => loops++, 0)
      let read = 0
      for await (const message of readPositions(store, await store.sessions.line(id))) {
        expect(message.text).toBe(String(read++))
      }
      clearInterval(count)
      expect(read).toBe(3000)
      expect(loops).toBeGreaterThan(0)
    })

    it('sums usage over a range, once for each message', async () => {
      const id = await root()
      const usage = {
        inputTokens: 10,
        outputTokens: 1,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        costUSD: 0.25,
      }
      await store.transaction((tx) =>
        tx.messages.append(id, [said('a', { usage }), said('b'), said('c', { usage })]),
      )
      expect(await store.messages.usage({ sessionID: id, from: 1, to: 2 })).toEqual(usage)
      expect(await store.messages.usage({ sessionID: id, from: 1, to: 3 })).toMatchObject({
        inputTokens: 20,
        costUSD: 0.5,
      })
    })

    it('lists sessions newest first, in pages, by directory, agent, parent, label and words', async () => {
      const [a, b, c] = [await root('Apple pie'), await root('100% rye_bread'), await root('Soup')]
      await store.transaction((tx) => tx.sessions.change(a, { labels: ['demo', 'a"b'] }, now))
      const listed = async (query: Parameters<Store['sessions']['list']>[0]) =>
        (await store.sessions.list(query)).map((session) => session.id)
      expect(await listed({})).toEqual([c, b, a])
      expect(await listed({ limit: 2 })).toEqual([c, b])
      expect(await listed({ limit: 2, before: b })).toEqual([a])
      expect(await listed({ label: 'demo' })).toEqual([a])
      expect(await listed({ label: 'a"b' })).toEqual([a])
      expect(await listed({ q: 'PIE' })).toEqual([a])
      expect(await listed({ q: '%' })).toEqual([b])
      expect(await listed({ q: 'e_b' })).toEqual([b])
      expect(await listed({ directory: '/elsewhere' })).toEqual([])
      expect(await listed({ agent: 'offline', archived: false })).toEqual([c, b, a])
    })

    it('finds ids by either end and takes no part of one as a pattern', async () => {
      const id = await root()
      await root()
      expect((await store.sessions.matching(id.slice(-6))).map((s) => s.id)).toEqual([id])
      expect((await store.sessions.matching(id.slice(4))).map((s) => s.id)).toEqual([id])
      expect(await store.sessions.matching('01zzzz')).toEqual([])
    })

    it('gives a session to one owner, with an epoch that only rises', async () => {
      const sessionID = await root()
      const process = { pid: 1, started: 's', machine: 'm' }
      const claim = { sessionID, process, leaseUntil: now, fromEpoch: null }
      const take = (fromEpoch: number | null) =>
        store.transaction((tx) => tx.owners.take({ ...claim, fromEpoch }))
      expect(await take(null)).toBe(1)
      expect(await take(null)).toBeNull()
      expect(await store.transaction((tx) => tx.owners.hold(sessionID, 1, now + 5))).toBe(true)
      expect((await store.owners.get(sessionID))?.leaseUntil).toBe(now + 5)
      expect(await take(7)).toBeNull()
      expect(await take(1)).toBe(2)
      expect(await store.transaction((tx) => tx.owners.hold(sessionID, 1, now))).toBe(false)
      expect(await store.transaction((tx) => tx.owners.release(sessionID, 1))).toBe(false)
      expect(await store.transaction((tx) => tx.owners.release(sessionID, 2))).toBe(true)
      expect(await store.owners.get(sessionID)).toBeNull()
      expect(await take(null)).toBe(3)
    })

    it('lets one turn run in a session at a time', async () => {
      const sessionID = await root()
      const begin = () =>
        store.transaction((tx) =>
          tx.turns.insert({ id: ids.turn(), sessionID, promptID: ids.message(), started: now }),
        )
      await begin()
      expect((await store.sessions.get(sessionID))?.state).toBe('running')
      await expect(begin()).rejects.toThrow()
      const turn = await store.turns.running(sessionID)
      if (turn)
        await store.transaction((tx) => tx.turns.end(turn.id, { outcome: 'finished', reason: null }, now))
      expect((await store.sessions.get(sessionID))?.state).toBe('idle')
      await begin()
    })

    it('counts the first answer to a permission and no other', async () => {
      const sessionID = await root()
      const permission = {
        id: ids.permission(),
        sessionID,
        turnID: ids.turn(),
        tool: 'run',
        detail: 'ls',
        state: 'asked',
        scope: 'call',
        asked: now,
      } as const
      await store.transaction((tx) => tx.permissions.insert(permission))
      expect(await store.permissions.asked()).toEqual([permission])
      const answer = (state: 'allowed' | 'denied') =>
        store.transaction((tx) => tx.permissions.answer(permission.id, state, 'session'))
      expect(await Promise.all([answer('denied'), answer('allowed')])).toEqual([true, false])
      expect(await store.permissions.granted(sessionID, 'run')).toBe(false)
      expect(await store.permissions.asked()).toEqual([])
    })

    const aProcess = { pid: 1, started: '2', machine: 'here' }
    const snapshot = (): Snapshot => ({
      ...{ id: ids.snapshot(), projectID: 'p', root: '/project', tree: 't', head: null, branch: null },
      ...{ missing: [], beside: [], saved: false, freed: false, created: now },
    })

    it('moves a workspace from state to state once, whoever tries', async () => {
      const workspace: Workspace = {
        ...{
          id: ids.workspace(),
          projectID: 'p',
          repository: '/project/.git',
          origin: '/project',
          path: '/w',
        },
        ...{ branch: 'bough/x', commit: 'c', state: 'making', process: aProcess, created: now },
      }
      await store.transaction((tx) => tx.workspaces.insert(workspace))
      expect(await store.workspaces.underWay()).toEqual([workspace])
      const move = () =>
        store.transaction((tx) => tx.workspaces.move(workspace.id, 'making', 'ready', aProcess))
      expect(await Promise.all([move(), move()])).toEqual([true, false])
      expect(await store.workspaces.underWay()).toEqual([])
      expect(await store.workspaces.get(workspace.id)).toEqual({ ...workspace, state: 'ready' })
    })

    it('knows who works in a directory or below it, and not beside it', async () => {
      const inside = ['/w', '/w/sub']
      for (const directory of [...inside, '/w2', '/']) {
        const id = ids.session()
        const names = {
          id,
          parentID: null,
          forkPoint: null,
          title: 't',
          titled: false,
          agent: 'a',
          model: null,
        }
        await store.transaction((tx) =>
          tx.sessions.insert({ ...names, directory, kind: 'root', labels: [], created: now }),
        )
      }
      expect((await store.sessions.workingIn('/w')).map(({ directory }) => directory)).toEqual(inside)
    })

    it('takes back the last restore of a root that still stands, and finds those that are not finished', async () => {
      const restore = (
        state: Restore['state'],
        root = '/project',
        undoes: Restore['undoes'] = null,
      ): Restore => ({
        ...{ id: ids.restore(), projectID: 'p', root, before: ids.snapshot(), target: ids.snapshot() },
        ...{ paths: ['a', '\xff'], undoes, state, process: aProcess, created: now },
      })
      const done = restore('done')
      const all = [done, restore('undone'), restore('done', '/project', done.id), restore('done', '/other')]
      const unfinished = [restore('running'), restore('half')]
      for (const each of [...all, ...unfinished]) await store.transaction((tx) => tx.restores.insert(each))
      expect(await store.restores.lastDone('/project')).toEqual(done)
      expect(await store.restores.unfinished()).toEqual(unfinished.toReversed())
    })

    it('knows which snapshots messages name, and which a fork or a head stands on', async () => {
      const sessionID = await root()
      const said = await say(sessionID, 'one', 'two', 'three', 'four')
      const snapshots = said.map(() => snapshot())
      const loose = snapshot()
      await store.transaction(async (tx) => {
        for (const each of [...snapshots, loose]) await tx.snapshots.insert(each)
        for (const [i, { id }] of snapshots.entries()) await tx.snapshots.mark(said[i]?.id ?? 'msg_', id)
      })
      const names = {
        id: ids.session(),
        parentID: sessionID,
        title: 't',
        titled: false,
        agent: 'a',
        model: null,
      }
      await store.transaction((tx) =>
        tx.sessions.insert({
          ...names,
          forkPoint: said[1]?.id ?? null,
          directory: '/project',
          kind: 'branch',
          labels: [],
          created: now,
        }),
      )
      const [, second, , fourth] = snapshots.map(({ id }) => id)
      expect(await store.snapshots.named()).toEqual(new Set(snapshots.map(({ id }) => id)))
      expect(await store.snapshots.stoodOn()).toEqual(new Set([second, fourth]))
      await store.transaction((tx) => tx.snapshots.free(loose.id))
      expect(await store.snapshots.get(loose.id)).toEqual({ ...loose, freed: true })
      expect((await store.snapshots.matching(loose.id.slice(-8))).map(({ id }) => id)).toEqual([loose.id])
    })

    it('numbers events in commit order, and a follower gets each once, from any number on', async () => {
      const other = await another()
      const stop = new AbortController()
      const seen: TreeEvent[] = []
      const following = (async () => {
        for await (const event of other.follow({ after: 0, signal: stop.signal })) {
          if (event.kind !== 'reset') seen.push(event)
          if (seen.length === 30) stop.abort()
        }
      })()
      const made = await Promise.all(Array.from({ length: 30 }, () => root()))
      await following
      expect(seen.map((event) => event.seq)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1))
      expect(new Set(seen.map((event) => event.sessionID))).toEqual(new Set(made))
    })

    it('tells a follower that comes too late, or from another store, to load afresh', async () => {
      const first = await root()
      now += 8 * 24 * 60 * 60 * 1000
      await store.transaction(async (tx) => {
        for (let i = 0; i < 1000; i++) tx.record({ kind: 'session.updated', sessionID: first })
      })
      for (const after of [0, 99_999]) {
        const stop = new AbortController()
        for await (const event of store.follow({ after, signal: stop.signal })) {
          expect(event).toEqual({ kind: 'reset', seq: 1001 })
          stop.abort()
        }
      }
    })
  })
}
