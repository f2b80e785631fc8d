import { expect } from 'vitest'
import type { ChannelID, Ids } from '../../tree/ids.ts'
import type { Reminder, Routine } from '../../tree/schedule.ts'
import { findSchedule } from '../find.ts'
import type { ChangedSchedule } from '../schedules.ts'
import { newChannel } from './new-channel.ts'
import type { StoreTest } from './store-test.ts'

const newReminder = (ids: Ids, channelID: ChannelID): Reminder => ({
  ...{ kind: 'reminder', id: ids.schedule(), channelID, prompt: 'tea', agent: 'offline', model: 'fast' },
  ...{
    allowedTools: null,
    sandbox: 'on',
    files: 'worktree',
    mode: 'main',
    state: 'active',
    due: 150,
    lastSessionID: null,
    created: 1,
  },
})

const newRoutine = (ids: Ids, channelID: ChannelID): Routine => ({
  ...{ kind: 'routine', id: ids.schedule(), channelID, cron: '0 9 * * *', zone: 'Europe/Berlin' },
  ...{
    prompt: 'good morning',
    agent: null,
    model: null,
    allowedTools: ['run'],
    sandbox: null,
    files: null,
    mode: 'background',
  },
  ...{ state: 'active', due: 100, lastSessionID: null, created: 1 },
})

/** What routines and reminders need. */
export function schedulesContract(it: StoreTest): void {
  it('runs a schedule once for each time that it is due', async ({ store, ids, root }) => {
    const channelID = await newChannel(store, ids, await root())
    const routine = newRoutine(ids, channelID)
    const { id } = routine
    await store.transaction((tx) => tx.schedules.insert(routine))
    expect([await store.schedules.get(id), await store.schedules.due(99)]).toEqual([routine, []])
    expect([await store.schedules.nextDue(), await store.schedules.due(100)]).toEqual([100, [routine]])
    const sessionID = await root()
    const first = { due: 100, how: 'ran' as const, reason: null, sessionID, at: 101 }
    const ran = () =>
      store.transaction((tx) => tx.schedules.ran(routine, first, { state: 'active', due: 200 }))
    expect([await ran(), await ran()]).toEqual([true, false])
    const then: Routine = { ...routine, due: 200, lastSessionID: sessionID }
    expect([await store.schedules.get(id), await store.schedules.nextDue()]).toEqual([then, 200])
    const second = { ...first, due: 200, how: 'failed' as const, reason: 'gone', sessionID: null }
    const fail = (was: Routine) =>
      store.transaction((tx) => tx.schedules.ran(was, second, { state: 'active', due: 300 }))
    expect([await fail({ ...then, due: 100 }), await fail({ ...then, lastSessionID: null })]).toEqual([
      false,
      false,
    ])
    expect(await fail(then)).toBe(true)
    expect((await store.schedules.get(id))?.lastSessionID).toBe(sessionID)
    expect(await store.schedules.runs(id, 5)).toEqual([
      { ...second, scheduleID: id },
      { ...first, scheduleID: id },
    ])
    expect(await store.schedules.runs(id, 1)).toHaveLength(1)
  })

  it('runs no schedule that was cancelled meanwhile, and still knows it by its id', async ({
    store,
    ids,
    root,
  }) => {
    const channelID = await newChannel(store, ids, await root())
    const [routine, reminder] = [newRoutine(ids, channelID), newReminder(ids, channelID)]
    await store.transaction(async (tx) => {
      await tx.schedules.insert(routine)
      await tx.schedules.insert(reminder)
    })
    expect(await store.schedules.list(channelID)).toEqual([routine, reminder])
    expect(await store.schedules.list(ids.channel())).toEqual([])
    const cancel = () => store.transaction((tx) => tx.schedules.move(routine.id, 'active', 'cancelled', null))
    expect([await cancel(), await cancel()]).toEqual([true, false])
    const run = { due: 100, how: 'ran' as const, reason: null, sessionID: null, at: 101 }
    const ran = store.transaction((tx) => tx.schedules.ran(routine, run, { state: 'active', due: 200 }))
    expect([await ran, await store.schedules.runs(routine.id, 5)]).toEqual([false, []])
    expect([await store.schedules.list(), await store.schedules.nextDue()]).toEqual([[reminder], 150])
    for (const typed of [routine.id, routine.id.slice(-6)])
      expect(await findSchedule(store, typed)).toEqual({ ...routine, state: 'cancelled', due: null })
    await expect(findSchedule(store, routine.id.slice(4, 12))).rejects.toMatchObject({ code: 'ambiguous_id' })
    await expect(findSchedule(store, 'zzzzzz')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('changes what a schedule says and when it is due, unless it is over', async ({ store, ids, root }) => {
    const channelID = await newChannel(store, ids, await root())
    const [routine, reminder] = [newRoutine(ids, channelID), newReminder(ids, channelID)]
    await store.transaction(async (tx) => {
      for (const schedule of [routine, reminder]) await tx.schedules.insert(schedule)
    })
    const change = ({ id, ...to }: { readonly id: Routine['id'] } & ChangedSchedule) =>
      store.transaction((tx) => tx.schedules.change(id, to))
    const later: Routine = { ...routine, prompt: 'good\0night', cron: '0 21 * * *', zone: 'UTC', due: 300 }
    const sooner: Reminder = { ...reminder, prompt: 'coffee', due: 140 }
    expect(await change(later)).toBe(true)
    expect(await change({ ...sooner, cron: null, zone: null })).toBe(true)
    expect(await store.schedules.list()).toEqual([{ ...later, prompt: 'good\uFFFDnight' }, sooner])
    expect(await store.schedules.nextDue()).toBe(140)
    // Whoever was about to run it as it was is too late.
    const run = { due: 100, how: 'ran' as const, reason: null, sessionID: null, at: 101 }
    const ran = store.transaction((tx) => tx.schedules.ran(routine, run, { state: 'active', due: 200 }))
    expect(await ran).toBe(false)
    await store.transaction((tx) => tx.schedules.move(routine.id, 'active', 'cancelled', null))
    expect(await change(routine)).toBe(false)
    expect(await store.schedules.get(routine.id)).toMatchObject({ cron: '0 21 * * *', due: null })
  })

  it('forgets what became of times long ago, but for the newest of each schedule', async ({
    store,
    ids,
    root,
  }) => {
    const channelID = await newChannel(store, ids, await root())
    const [often, once] = [newRoutine(ids, channelID), newReminder(ids, channelID)]
    await store.transaction(async (tx) => {
      for (const schedule of [often, once]) await tx.schedules.insert(schedule)
      for (const due of [100, 200, 300]) {
        const run = { due, how: 'ran' as const, reason: null, sessionID: null, at: due + 1 }
        await tx.schedules.ran({ ...often, due }, run, { state: 'active', due: due + 100 })
      }
      const run = { due: 150, how: 'late' as const, reason: null, sessionID: null, at: 160 }
      await tx.schedules.ran(once, run, { state: 'done', due: null })
    })
    const dues = async ({ id }: typeof often | typeof once) =>
      (await store.schedules.runs(id, 9)).map(({ due }) => due)
    const forget = (before: number) => store.transaction((tx) => tx.schedules.forget(before))
    await forget(101)
    expect(await dues(often)).toEqual([300, 200, 100])
    await forget(102)
    expect([await dues(often), await dues(once)]).toEqual([[300, 200], [150]])
    await forget(1_000)
    expect([await dues(often), await dues(once)]).toEqual([[300], [150]])
  })
}
