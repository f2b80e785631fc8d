import { describe, expect, it } from 'vitest'
import { BoughError } from '../tree/error.ts'
import { fireDue, runNow, type ScheduledRun } from './due.ts'
import { addReminder, addRoutine, cancelSchedule } from './schedules.ts'
import { hour, minute, newGround } from './testing/ground.ts'

const hourly = { cron: '0 * * * *', zone: 'UTC', prompt: 'look' }

describe('a routine', () => {
  it('runs as a background fork each time that it is due, and never before', async () => {
    const { time, parts, store, channelID, runs, endRuns } = await newGround()
    const { id } = await addRoutine(parts, channelID, { ...hourly, allowedTools: ['read'] })
    for (let passed = 0; passed < 6 * 60; passed++) {
      await fireDue(parts)
      await endRuns()
      time.now += minute
    }
    const noted = await store.schedules.runs(id, 100)
    expect(noted.map(({ due, how }) => [new Date(due).getUTCHours(), how])).toEqual(
      [13, 12, 11, 10, 9].map((at) => [at, 'ran']),
    )
    expect(noted.map(({ sessionID }) => sessionID)).toEqual((await runs()).map(({ sessionID }) => sessionID))
    expect(await store.schedules.get(id)).toMatchObject({
      ...{ state: 'active', due: Date.UTC(2026, 10, 16, 14), lastSessionID: noted[0]?.sessionID },
    })
    expect((await runs())[0]).toMatchObject({ prompt: 'look', scheduleID: id, allowedTools: ['read'] })
  })

  it('that was missed while nothing ran runs once, late, not once per miss', async () => {
    const { time, parts, store, channelID, runs } = await newGround()
    const { id } = await addRoutine(parts, channelID, hourly)
    time.now += 5.5 * hour
    await fireDue(parts)
    await fireDue(parts)
    expect(await store.schedules.runs(id, 10)).toMatchObject([
      { due: Date.UTC(2026, 10, 16, 9), how: 'late', at: time.now },
    ])
    expect((await store.schedules.get(id))?.due).toBe(Date.UTC(2026, 10, 16, 14))
    expect(await runs()).toHaveLength(1)
  })

  it('runs at its next time after a clock that was ahead for a while is set back', async () => {
    const { time, parts, store, channelID, endRuns } = await newGround()
    const { id } = await addRoutine(parts, channelID, hourly)
    const now = time.now
    time.now += 30 * 24 * hour
    await fireDue(parts)
    await endRuns()
    expect((await store.schedules.get(id))?.due).toBe(Date.UTC(2026, 11, 16, 9))
    // The time at nine was run while the clock was ahead.
    time.now = now + 10 * minute
    await fireDue(parts)
    expect((await store.schedules.get(id))?.due).toBe(Date.UTC(2026, 10, 16, 10))
    time.now = now + 2 * hour
    await fireDue(parts)
    expect(await store.schedules.runs(id, 10)).toMatchObject([
      { due: Date.UTC(2026, 10, 16, 10), how: 'ran' },
      { due: Date.UTC(2026, 10, 16, 9), how: 'late' },
    ])
  })

  it('does not run twice when the clock is set back by a few seconds', async () => {
    const { time, parts, store, channelID, endRuns } = await newGround()
    const { id } = await addRoutine(parts, channelID, hourly)
    time.now += hour
    await fireDue(parts)
    await endRuns()
    for (const back of [1_000, 5_000, 60_000]) {
      time.now -= back
      await fireDue(parts)
      expect((await store.schedules.get(id))?.due).toBe(Date.UTC(2026, 10, 16, 10))
    }
    expect(await store.schedules.runs(id, 10)).toHaveLength(1)
  })

  it('two minutes after its time is not late', async () => {
    const { time, parts, store, channelID, endRuns } = await newGround()
    const { id } = await addRoutine(parts, channelID, hourly)
    time.now += hour + 2 * minute
    await fireDue(parts)
    await endRuns()
    time.now += hour + 1
    await fireDue(parts)
    expect((await store.schedules.runs(id, 10)).map(({ how }) => how)).toEqual(['late', 'ran'])
  })

  it('whose last run is still going is skipped, and that is recorded', async () => {
    const { time, parts, store, channelID, runs, endRuns } = await newGround()
    const { id } = await addRoutine(parts, channelID, hourly)
    for (let passed = 0; passed < 3; passed++) {
      time.now += hour
      await fireDue(parts)
    }
    const [first] = await runs()
    await endRuns()
    time.now += hour
    await fireDue(parts)
    const [last] = await runs()
    expect((await store.schedules.runs(id, 10)).map(({ how, sessionID }) => ({ how, sessionID }))).toEqual([
      { how: 'ran', sessionID: last?.sessionID },
      { how: 'skipped', sessionID: null },
      { how: 'skipped', sessionID: null },
      { how: 'ran', sessionID: first?.sessionID },
    ])
  })

  it('for main waits in its queue, and is skipped while it does', async () => {
    const { time, parts, store, channelID, runs } = await newGround()
    const { id } = await addRoutine(parts, channelID, { ...hourly, mode: 'main' })
    const fire = async (later: number) => {
      time.now += later
      await fireDue(parts)
      return (await store.inbox.open(channelID)).map(({ what }) => what)
    }
    const prompt = { kind: 'schedule', scheduleID: id, prompt: 'look' }
    expect(await fire(hour)).toEqual([{ ...prompt, due: null }])
    expect(await fire(hour)).toHaveLength(1)
    const [waiting] = await store.inbox.open(channelID)
    if (!waiting) throw new Error('nothing waits')
    await store.transaction((tx) => tx.inbox.end(waiting.id, 'done', null))
    expect(await fire(hour + 10 * minute)).toEqual([{ ...prompt, due: Date.UTC(2026, 10, 16, 11) }])
    expect((await store.schedules.runs(id, 10)).map(({ how }) => how)).toEqual(['late', 'skipped', 'ran'])
    expect(await runs()).toEqual([])
  })
})

describe('a reminder', () => {
  it('runs once, at its time, and is done', async () => {
    const { time, parts, store, channelID, runs, endRuns } = await newGround()
    const { id, due } = await addReminder(parts, channelID, { prompt: 'tea', at: time.now + 90 * minute })
    for (let passed = 0; passed < 4 * 60; passed++) {
      await fireDue(parts)
      await endRuns()
      time.now += minute
    }
    expect((await runs()).map(({ started }) => started)).toEqual([due])
    expect(await store.schedules.get(id)).toMatchObject({ state: 'done', due: null })
    expect(await store.schedules.runs(id, 10)).toMatchObject([{ due, how: 'ran', reason: null }])
    await expect(cancelSchedule(parts, id)).rejects.toThrow('has run, and is over')
    await expect(runNow(parts, id)).rejects.toThrow('has run, and is over')
  })

  it('that was missed while nothing ran runs late, and says so', async () => {
    const { time, parts, store, channelID } = await newGround()
    const at = time.now + hour
    const a = await addReminder(parts, channelID, { prompt: 'tea', at })
    const b = await addReminder(parts, channelID, { prompt: 'bread', at, mode: 'main' })
    time.now += 50 * hour
    await fireDue(parts)
    for (const { id } of [a, b])
      expect(await store.schedules.runs(id, 10)).toMatchObject([{ due: at, how: 'late', at: time.now }])
    expect((await store.inbox.open(channelID)).map(({ what }) => what)).toMatchObject([{ due: at }])
  })

  it('is never skipped', async () => {
    const { time, parts, channelID, runs } = await newGround()
    const { id } = await addReminder(parts, channelID, { prompt: 'tea', at: time.now + hour })
    await runNow(parts, id)
    time.now += hour
    await fireDue(parts)
    expect(await runs()).toHaveLength(2)
  })
})

describe('each time is run once', () => {
  it('by two processes that look at the clock at the same moment, for hours', async () => {
    const { time, parts, store, channelID, openParts, runs, endRuns } = await newGround()
    const other = await openParts()
    const often = await addRoutine(parts, channelID, { cron: '*/10 * * * *', prompt: 'often' })
    const main = await addRoutine(parts, channelID, { ...hourly, mode: 'main' })
    const once = await addReminder(parts, channelID, { prompt: 'tea', at: time.now + 70 * minute })
    for (let passed = 0; passed < 3 * 60; passed += 5) {
      await Promise.all([fireDue(parts), fireDue(other), fireDue(parts)])
      await endRuns()
      for (const { id } of await store.inbox.open(channelID))
        await store.transaction((tx) => tx.inbox.end(id, 'done', null))
      time.now += 5 * minute
    }
    const noted = async (id: typeof often.id) => (await store.schedules.runs(id, 100)).map(({ how }) => how)
    expect(await noted(often.id)).toEqual(Array(17).fill('ran'))
    expect(await noted(main.id)).toEqual(['ran', 'ran'])
    expect(await noted(once.id)).toEqual(['ran'])
    const starts = (await runs()).map(({ scheduleID, started }) => `${scheduleID} ${started}`)
    expect([starts.length, new Set(starts).size]).toEqual([18, 18])
  })

  it('and not at all when it is cancelled at that moment', async () => {
    const { time, parts, store, channelID, runs } = await newGround()
    const { id } = await addRoutine(parts, channelID, hourly)
    time.now += hour
    const cancelling = {
      ...parts,
      startRun: async (run: ScheduledRun) => {
        await cancelSchedule(parts, id)
        return parts.startRun(run)
      },
    }
    await fireDue(cancelling)
    expect([await runs(), await store.schedules.runs(id, 5)]).toEqual([[], []])
    expect((await store.schedules.get(id))?.state).toBe('cancelled')
  })
})

describe('a run that cannot begin', () => {
  it('is told and recorded, is not tried again until the next time, and keeps no other from running', async () => {
    const { time, parts, store, channelID, failures, broken, runs } = await newGround()
    const a = await addRoutine(parts, channelID, { ...hourly, prompt: 'broken' })
    const b = await addReminder(parts, channelID, { at: time.now + hour, prompt: 'broken' })
    const c = await addRoutine(parts, channelID, hourly)
    broken.set('broken', new BoughError('directory_gone', 'The directory is gone.'))
    time.now += hour
    await fireDue(parts)
    await fireDue(parts)
    const failure = { prompt: 'broken', reason: 'The directory is gone.' }
    expect(failures).toEqual([failure, failure])
    expect((await runs()).map(({ scheduleID }) => scheduleID)).toEqual([c.id])
    for (const { id } of [a, b])
      expect(await store.schedules.runs(id, 5)).toMatchObject([
        { how: 'failed', reason: 'The directory is gone.', sessionID: null },
      ])
    expect((await store.schedules.get(b.id))?.state).toBe('done')
    broken.clear()
    time.now += hour
    await fireDue(parts)
    expect((await store.schedules.runs(a.id, 5)).map(({ how }) => how)).toEqual(['ran', 'failed'])
  })

  it('because its channel has no main any more has failed, in either mode', async () => {
    const { time, parts, store, failures, newChannel } = await newGround()
    const gone = await newChannel()
    const removed = await newChannel()
    await addRoutine(parts, gone.channelID, hourly)
    await addRoutine(parts, gone.channelID, { ...hourly, mode: 'main' })
    await addReminder(parts, removed.channelID, { prompt: 'tea', at: time.now + hour })
    await store.transaction(async (tx) => {
      await tx.sessions.remove(gone.mainID)
      await tx.channels.remove(removed.channelID)
    })
    time.now += hour
    await fireDue(parts)
    expect(failures.map(({ reason }) => reason)).toEqual([
      expect.stringContaining(`no session ${gone.mainID}`),
      expect.stringContaining(`no session ${gone.mainID}`),
      expect.stringContaining(`no channel ${removed.channelID}`),
    ])
    expect(await store.inbox.open(gone.channelID)).toEqual([])
  })

  it('because this process closes stays due, and the others are still tried', async () => {
    const { time, parts, store, channelID, failures, broken, runs } = await newGround()
    const a = await addReminder(parts, channelID, { at: time.now + hour, prompt: 'closing' })
    const b = await addReminder(parts, channelID, { at: time.now + hour, prompt: 'tea' })
    broken.set('closing', new BoughError('closed', 'bough is closing.'))
    time.now += hour
    await expect(fireDue(parts)).rejects.toMatchObject({ code: 'closed' })
    expect((await runs()).map(({ scheduleID }) => scheduleID)).toEqual([b.id])
    expect([await store.schedules.get(a.id), failures]).toEqual([a, []])
    broken.clear()
    await fireDue(parts)
    expect(await runs()).toHaveLength(2)
  })

  it('has not failed when something goes wrong after it began, but that is not hidden', async () => {
    const { time, parts, store, channelID, failures } = await newGround()
    const { id } = await addRoutine(parts, channelID, hourly)
    time.now += hour
    const startRun = async (run: ScheduledRun) => {
      await parts.startRun(run)
      throw new Error('It stumbled.')
    }
    await expect(fireDue({ ...parts, startRun })).rejects.toThrow('It stumbled.')
    expect((await store.schedules.runs(id, 5)).map(({ how }) => how)).toEqual(['ran'])
    expect(failures).toEqual([])
  })

  it('whose zone this machine does not know has failed for good', async () => {
    const { time, parts, store, ids, channelID, failures } = await newGround()
    const routine = await addRoutine(parts, channelID, hourly)
    const strange = { ...routine, id: ids.schedule(), zone: 'Mars/Phobos' }
    await store.transaction((tx) => tx.schedules.insert(strange))
    time.now += hour
    await fireDue(parts)
    await fireDue(parts)
    expect(failures).toMatchObject([{ reason: expect.stringContaining('Mars/Phobos') }])
    expect(await store.schedules.get(strange.id)).toMatchObject({ state: 'done', due: null })
  })
})

describe('a schedule that a person runs now', () => {
  it('runs beside its times, which stay as they are', async () => {
    const { time, parts, store, channelID, endRuns } = await newGround()
    const { id, due } = await addRoutine(parts, channelID, hourly)
    time.now += 10 * minute
    const run = await runNow(parts, id)
    expect(run).toMatchObject({ scheduleID: id, prompt: 'look', state: 'open' })
    expect(await store.schedules.runs(id, 5)).toMatchObject([{ due: time.now, sessionID: run?.sessionID }])
    expect(await store.schedules.get(id)).toMatchObject({ due, lastSessionID: run?.sessionID })
    await endRuns()
    time.now = due ?? 0
    await fireDue(parts)
    expect(await store.schedules.runs(id, 5)).toHaveLength(2)
  })

  it('is refused while its last run still goes, also to two who want it at once', async () => {
    const { parts, channelID, openParts, runs, time } = await newGround()
    const { id } = await addRoutine(parts, channelID, hourly)
    const other = await openParts()
    const ends = await Promise.allSettled([runNow(parts, id), runNow(other, id)])
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await expect(runNow(parts, id)).rejects.toMatchObject({
      code: 'session_busy',
      message: expect.stringContaining('is still going'),
    })
    time.now += hour
    await fireDue(parts)
    expect(await runs()).toHaveLength(1)
  })

  it('waits for main where it is for main', async () => {
    const { parts, store, channelID } = await newGround()
    const { id } = await addRoutine(parts, channelID, { ...hourly, mode: 'main' })
    expect(await runNow(parts, id)).toBeNull()
    expect(await store.inbox.open(channelID)).toMatchObject([{ what: { scheduleID: id, due: null } }])
    await expect(runNow(parts, id)).rejects.toMatchObject({ code: 'session_busy' })
  })

  it('and cannot begin is no run: the one who asked is told', async () => {
    const { parts, store, channelID, broken, failures } = await newGround()
    const { id } = await addRoutine(parts, channelID, hourly)
    broken.set('look', new BoughError('agent_failed', 'The agent is gone.'))
    await expect(runNow(parts, id)).rejects.toMatchObject({ code: 'agent_failed' })
    expect([await store.schedules.runs(id, 5), failures]).toEqual([[], []])
  })
})
