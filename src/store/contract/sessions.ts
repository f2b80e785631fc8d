import { expect } from 'vitest'
import type { SessionID } from '../../tree/ids.ts'
import type { SessionQuery } from '../../tree/query.ts'
import type { Workspace } from '../../tree/workspace.ts'
import type { Store } from '../store.ts'
import type { StoreTest } from './store-test.ts'

export function sessionsContract(it: StoreTest): void {
  it('lists sessions newest first, in pages, by directory, agent, parent, label and words', async ({
    store,
    clock,
    root,
  }) => {
    const [a, b, c] = [await root('Apple pie'), await root('100% rye_bread'), await root('Soup')]
    await store.transaction((tx) => tx.sessions.change(a, { labels: ['demo', 'a"b'] }, clock.now))
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

  it('finds ids by either end and takes no part of one as a pattern', async ({ store, root }) => {
    const id = await root()
    await root()
    expect((await store.sessions.matching(id.slice(-6))).map((s) => s.id)).toEqual([id])
    expect((await store.sessions.matching(id.slice(4))).map((s) => s.id)).toEqual([id])
    expect(await store.sessions.matching('01zzzz')).toEqual([])
  })

  it('knows who works in a directory or below it, and not beside it', async ({ store, newSession }) => {
    const inside = ['/w', '/w/sub']
    for (const directory of [...inside, '/w2', '/']) {
      await store.transaction((tx) => tx.sessions.insert(newSession({ directory })))
    }
    expect((await store.sessions.workingIn('/w')).map(({ directory }) => directory)).toEqual(inside)
  })

  it('lists only those in which a turn runs, when asked for them', async ({ store, ids, clock, root }) => {
    const [a, b, c] = [await root('Apple'), await root('Bread'), await root('Cake')]
    const begin = async (sessionID: SessionID) => {
      const turn = { id: ids.turn(), sessionID, promptID: ids.message(), started: clock.now }
      await store.transaction((tx) => tx.turns.insert(turn))
      return turn.id
    }
    const running = async (query: SessionQuery = {}) =>
      (await store.sessions.list({ ...query, state: 'running' })).map(({ id }) => id)
    expect(await running()).toEqual([])
    const [ofA] = [await begin(a), await begin(c)]
    expect([await running(), await running({ limit: 1 })]).toEqual([[c, a], [c]])
    expect([await running({ q: 'apple' }), await running({ before: c })]).toEqual([[a], [a]])
    const end = { outcome: 'finished', reason: null } as const
    await store.transaction((tx) => tx.turns.end(ofA, end, clock.now))
    await store.transaction((tx) => tx.sessions.bury(c))
    await begin(b)
    expect(await running()).toEqual([b])
  })

  it('tells the directories of living sessions, those used last first, with the worktree that each lies in', async ({
    store,
    ids,
    clock,
    newSession,
  }) => {
    const process = { pid: 1, started: '2', machine: 'here' }
    const worktree = (path: string): Workspace => ({
      ...{ id: ids.workspace(), projectID: 'p', repository: '/project/.git', origin: '/project', path },
      ...{ branch: `bough${path}`, commit: 'c', state: 'ready', process, created: clock.now },
    })
    const [one, two] = [worktree('/w/one'), worktree('/w/two')]
    const live = async (directory: string, updated: number, workspaceID: Workspace['id'] | null = null) => {
      const session = newSession({ directory, workspaceID })
      await store.transaction(async (tx) => {
        await tx.sessions.insert(session)
        await tx.sessions.touch(session.id, updated)
      })
      return session.id
    }
    expect(await store.sessions.directories()).toEqual([])
    await store.transaction(async (tx) => {
      for (const each of [one, two]) await tx.workspaces.insert(each)
    })
    await live('/project', 5)
    const archived = await live('/project', 3)
    await store.transaction((tx) => tx.sessions.change(archived, { archived: true }, 4))
    await live('/w/one', 7, one.id)
    // Somebody else's, in the same worktree and below it; and one beside it.
    await live('/w/one', 2)
    await live('/w/one/sub', 6)
    await live('/w/one2', 1)
    const gone = await live('/w/two', 9, two.id)
    await store.transaction((tx) => tx.sessions.bury(gone))
    const inOne = { workspaceID: one.id, branch: one.branch }
    const inNone = { workspaceID: null, branch: null }
    expect(await store.sessions.directories()).toEqual([
      { directory: '/w/one', ...inOne, sessions: 2, updated: 7 },
      { directory: '/w/one/sub', ...inOne, sessions: 1, updated: 6 },
      { directory: '/project', ...inNone, sessions: 2, updated: 5 },
      { directory: '/w/one2', ...inNone, sessions: 1, updated: 1 },
    ])
  })

  it('knows tombstones that nobody stands on, once nothing was done with them for a while', async ({
    store,
    newSession,
    say,
    root,
  }) => {
    const [alone, parent, stoodOn, living] = [await root(), await root(), await root(), await root()]
    const [message] = await say(stoodOn, 'Hello')
    await store.transaction(async (tx) => {
      await tx.sessions.insert(newSession({ parentID: parent }))
      await tx.sessions.insert(newSession({ parentID: living, forkPoint: message?.id ?? null }))
      for (const id of [alone, parent, stoodOn]) {
        await tx.sessions.bury(id)
        await tx.sessions.touch(id, 1000)
      }
    })
    expect(await store.sessions.unfinished(1000)).toEqual([])
    expect(await store.sessions.unfinished(1001)).toMatchObject([{ id: alone, deleted: true }])
    await store.transaction((tx) => tx.sessions.unbury(alone))
    expect(await store.sessions.unfinished(1001)).toEqual([])
    expect(await store.sessions.get(alone)).toMatchObject({ deleted: false })
  })
}
