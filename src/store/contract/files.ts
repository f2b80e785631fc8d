import { expect } from 'vitest'
import type { Restore } from '../../tree/restore.ts'
import type { Snapshot } from '../../tree/snapshot.ts'
import type { Workspace } from '../../tree/workspace.ts'
import type { StoreTest } from './store-test.ts'

const aProcess = { pid: 1, started: '2', machine: 'here' }

export function filesContract(it: StoreTest): void {
  it('moves a workspace from state to state once, whoever tries', async ({ store, ids, clock }) => {
    const workspace: Workspace = {
      ...{
        id: ids.workspace(),
        projectID: 'p',
        repository: '/project/.git',
        origin: '/project',
        path: '/w',
      },
      ...{ branch: 'bough/x', commit: 'c', state: 'making', process: aProcess, created: clock.now },
    }
    await store.transaction((tx) => tx.workspaces.insert(workspace))
    expect(await store.workspaces.underWay()).toEqual([workspace])
    const move = () =>
      store.transaction((tx) => tx.workspaces.move(workspace.id, 'making', 'ready', aProcess))
    expect(await Promise.all([move(), move()])).toEqual([true, false])
    expect(await store.workspaces.underWay()).toEqual([])
    expect(await store.workspaces.get(workspace.id)).toEqual({ ...workspace, state: 'ready' })
  })

  it('takes back the last restore of a root that still stands, and finds those that are not finished', async ({
    store,
    ids,
    clock,
  }) => {
    const restore = (
      state: Restore['state'],
      root = '/project',
      undoes: Restore['undoes'] = null,
    ): Restore => ({
      ...{ id: ids.restore(), projectID: 'p', root, before: ids.snapshot(), target: ids.snapshot() },
      ...{ paths: ['a', '\xff'], undoes, state, process: aProcess, created: clock.now },
    })
    const done = restore('done')
    const all = [done, restore('undone'), restore('done', '/project', done.id), restore('done', '/other')]
    const unfinished = [restore('running'), restore('half')]
    for (const each of [...all, ...unfinished]) await store.transaction((tx) => tx.restores.insert(each))
    expect(await store.restores.lastDone('/project')).toEqual(done)
    expect(await store.restores.unfinished()).toEqual(unfinished.toReversed())
  })

  it('knows which snapshots messages name, and which a fork or a head stands on', async ({
    store,
    ids,
    clock,
    newSession,
    root,
    say,
  }) => {
    const sessionID = await root()
    const said = await say(sessionID, 'one', 'two', 'three', 'four')
    const snapshot = (): Snapshot => ({
      ...{ id: ids.snapshot(), projectID: 'p', root: '/project', tree: 't', head: null, branch: null },
      ...{ missing: [], beside: [], saved: false, freed: false, created: clock.now },
    })
    const snapshots = said.map(() => snapshot())
    const loose = snapshot()
    await store.transaction(async (tx) => {
      for (const each of [...snapshots, loose]) await tx.snapshots.insert(each)
      for (const [i, { id }] of snapshots.entries()) await tx.snapshots.mark(said[i]?.id ?? 'msg_', id)
    })
    const fork = newSession({ parentID: sessionID, forkPoint: said[1]?.id ?? null, kind: 'branch' })
    await store.transaction((tx) => tx.sessions.insert(fork))
    const [, second, , fourth] = snapshots.map(({ id }) => id)
    expect(await store.snapshots.named()).toEqual(new Set(snapshots.map(({ id }) => id)))
    expect(await store.snapshots.stoodOn()).toEqual(new Set([second, fourth]))
    await store.transaction((tx) => tx.snapshots.free(loose.id))
    expect(await store.snapshots.get(loose.id)).toEqual({ ...loose, freed: true })
    expect((await store.snapshots.matching(loose.id.slice(-8))).map(({ id }) => id)).toEqual([loose.id])
  })
}
