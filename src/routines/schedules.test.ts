import { describe, expect, it } from 'vitest'
import type { Schedule, ScheduleChange } from '../tree/schedule.ts'
import { addReminder, addRoutine, cancelSchedule, changeSchedule } from './schedules.ts'
import { hour, newGround } from './testing/ground.ts'

describe('a routine', () => {
  it('is kept with its cron line, zone, prompt, agent, model, tools, sandbox and mode, and when it is due first', async () => {
    const { parts, store, time, channelID } = await newGround()
    const routine = await addRoutine(parts, channelID, {
      ...{ cron: ' 0 8 * * 1-5 ', zone: 'America/New_York', prompt: 'the news' },
      ...{ agent: 'offline', model: 'small', allowedTools: ['read'], sandbox: 'on', mode: 'background' },
      files: 'worktree',
    })
    expect(routine).toEqual({
      ...{ kind: 'routine', id: routine.id, channelID, cron: '0 8 * * 1-5', zone: 'America/New_York' },
      ...{ prompt: 'the news', agent: 'offline', model: 'small', allowedTools: ['read'], mode: 'background' },
      ...{ sandbox: 'on', files: 'worktree' },
      ...{ state: 'active', due: Date.UTC(2026, 10, 16, 13), lastSessionID: null, created: time.now },
    })
    expect(await store.schedules.list(channelID)).toEqual([routine])
  })

  it('is of the machine’s time zone and runs in the background unless said otherwise', async () => {
    const { parts, channelID } = await newGround()
    const routine = await addRoutine(parts, channelID, { cron: '0 10 * * *', prompt: 'tea' })
    expect(routine).toMatchObject({
      zone: 'Europe/Berlin',
      mode: 'background',
      due: Date.UTC(2026, 10, 16, 9),
    })
  })

  it('with a wrong line, zone, prompt, agent or channel is refused, and nothing is kept', async () => {
    const { parts, store, ids, channelID } = await newGround()
    const right = { cron: '0 8 * * *', prompt: 'tea' }
    const add = (more: object, id = channelID) => addRoutine(parts, id, { ...right, ...more })
    await expect(add({ cron: '0 8' })).rejects.toMatchObject({ code: 'bad_input' })
    await expect(add({ zone: 'Nowhere' })).rejects.toMatchObject({ code: 'bad_input' })
    await expect(add({ prompt: ' \n' })).rejects.toThrow('The prompt is empty.')
    await expect(add({ agent: 'nobody' })).rejects.toMatchObject({ code: 'agent_unknown' })
    for (const more of [
      { agent: 'offline' },
      { model: 'small' },
      { allowedTools: [] },
      { sandbox: 'on' as const },
    ])
      await expect(add({ mode: 'main', ...more })).rejects.toThrow(
        'has its agent, model, tools, sandbox and files',
      )
    await expect(add({}, ids.channel())).rejects.toMatchObject({ code: 'not_found' })
    expect(await store.schedules.list()).toEqual([])
  })
})

describe('a reminder', () => {
  it('is kept with its time, however far away', async () => {
    const { parts, store, time, channelID } = await newGround()
    const at = time.now + 6 * 365 * 24 * hour
    const reminder = await addReminder(parts, channelID, { prompt: 'renew', at: at - 0.5 })
    expect(reminder).toMatchObject({ kind: 'reminder', due: at, mode: 'background', state: 'active' })
    expect(await store.schedules.get(reminder.id)).toEqual(reminder)
  })

  it('in the past is refused with what time it is; so is what is no time', async () => {
    const { parts, store, time, channelID } = await newGround()
    const add = (at: number) => addReminder(parts, channelID, { prompt: 'tea', at })
    for (const at of [time.now, time.now - hour, 0])
      await expect(add(at)).rejects.toThrow('has passed: it is Mon, 16 Nov 2026, 09:00 (Europe/Berlin) now.')
    for (const at of [Number.NaN, Number.POSITIVE_INFINITY, 1e17])
      await expect(add(at)).rejects.toMatchObject({
        code: 'bad_input',
        message: expect.stringContaining(`${at} is no time`),
      })
    expect(await store.schedules.list()).toEqual([])
  })
})

describe('a schedule that is changed', () => {
  it('keeps what is not named, and its time when only its prompt is another', async () => {
    const { parts, store, time, channelID } = await newGround()
    const routine = await addRoutine(parts, channelID, { cron: '0 10 * * *', prompt: 'tea' })
    const reminder = await addReminder(parts, channelID, { at: time.now + hour, prompt: 'tea' })
    time.now += 2 * hour
    for (const schedule of [routine, reminder]) {
      const changed = { ...schedule, prompt: 'coffee' }
      expect(await changeSchedule(parts, schedule.id, { prompt: 'coffee' })).toEqual(changed)
      expect(await changeSchedule(parts, schedule.id, {})).toEqual(changed)
      expect(await store.schedules.get(schedule.id)).toEqual(changed)
    }
  })

  it('as a routine has another line or zone, and is due at its next time from now on', async () => {
    const { parts, store, time, channelID } = await newGround()
    const routine = await addRoutine(parts, channelID, { cron: '0 10 * * *', prompt: 'tea' })
    time.now += 3 * hour
    const [noon, four] = [Date.UTC(2026, 10, 16, 12), Date.UTC(2026, 10, 16, 15)]
    const inUTC = { ...routine, cron: '0 12 * * *', zone: 'UTC', due: noon }
    expect(await changeSchedule(parts, routine.id, { cron: ' 0 12 * * *', zone: 'UTC' })).toEqual(inUTC)
    const later = await changeSchedule(parts, routine.id, { cron: '0 15 * * *' })
    expect(later).toEqual({ ...inUTC, cron: '0 15 * * *', due: four })
    const there = await changeSchedule(parts, routine.id, { zone: 'America/New_York' })
    expect(there).toMatchObject({ cron: '0 15 * * *', due: four + 5 * hour })
    expect(await store.schedules.get(routine.id)).toEqual(there)
  })

  it('as a reminder has another time', async () => {
    const { parts, store, time, channelID } = await newGround()
    const { id } = await addReminder(parts, channelID, { at: time.now + hour, prompt: 'tea' })
    const at = time.now + 2 * hour
    expect(await changeSchedule(parts, id, { at: at - 0.5 })).toMatchObject({ due: at, prompt: 'tea' })
    expect(await store.schedules.nextDue()).toBe(at)
  })

  it('to something wrong is refused, and stays as it was', async () => {
    const { parts, store, time, channelID } = await newGround()
    const routine = await addRoutine(parts, channelID, { cron: '0 10 * * *', prompt: 'tea' })
    const reminder = await addReminder(parts, channelID, { at: time.now + hour, prompt: 'tea' })
    const refused = async (schedule: Schedule, change: ScheduleChange, why: string) => {
      const changing = changeSchedule(parts, schedule.id, { prompt: 'coffee', ...change })
      await expect(changing).rejects.toMatchObject({
        code: 'bad_input',
        message: expect.stringContaining(why),
      })
      expect(await store.schedules.get(schedule.id)).toEqual(schedule)
    }
    await refused(routine, { at: time.now + hour }, 'is a routine, which has no single time')
    await refused(routine, { cron: '0 10' }, 'is no cron line')
    await refused(routine, { zone: 'Nowhere' }, 'There is no time zone')
    for (const change of [{ cron: '0 10 * * *' }, { zone: 'UTC' }])
      await refused(reminder, change, 'is a reminder, which has no cron line and no time zone')
    await refused(reminder, { at: time.now }, 'has passed')
    for (const schedule of [routine, reminder])
      await refused(schedule, { prompt: ' \n' }, 'The prompt is empty')
  })

  it('is one that is not over', async () => {
    const { parts, channelID, ids } = await newGround()
    const { id } = await addRoutine(parts, channelID, { cron: '0 8 * * *', prompt: 'tea' })
    await cancelSchedule(parts, id)
    const change = { prompt: 'coffee' }
    await expect(changeSchedule(parts, id, change)).rejects.toThrow(`The routine ${id} has been cancelled.`)
    await expect(changeSchedule(parts, ids.schedule(), change)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('a schedule that is cancelled', () => {
  it('is over, and cannot be cancelled again', async () => {
    const { parts, store, channelID, ids } = await newGround()
    const { id } = await addRoutine(parts, channelID, { cron: '0 8 * * *', prompt: 'tea' })
    expect(await cancelSchedule(parts, id)).toMatchObject({ id, state: 'cancelled', due: null })
    expect([await store.schedules.list(), await store.schedules.nextDue()]).toEqual([[], null])
    await expect(cancelSchedule(parts, id)).rejects.toThrow(`The routine ${id} has been cancelled.`)
    await expect(cancelSchedule(parts, ids.schedule())).rejects.toMatchObject({ code: 'not_found' })
  })

  it('at the same time by two is cancelled by one', async () => {
    const { parts, channelID, time } = await newGround()
    const { id } = await addReminder(parts, channelID, { at: time.now + hour, prompt: 'tea' })
    const ends = await Promise.allSettled([cancelSchedule(parts, id), cancelSchedule(parts, id)])
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })
})
