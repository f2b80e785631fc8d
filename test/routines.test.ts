import { describe, expect, it } from 'vitest'
import { createOfflineDriver } from '../src/agents/offline/offline.ts'
import { Ground, minute, tool } from '../src/forks/side/testing/ground.ts'
import type { ScheduleID, SessionID } from '../src/tree/ids.ts'
import type { Permission } from '../src/tree/permission.ts'
import type { Schedule, ScheduleRun } from '../src/tree/schedule.ts'
import type { SideFork } from '../src/tree/side-fork.ts'
import { Keeper } from './support/keeper.ts'
import { SharedClock } from './support/shared-clock.ts'
import { count } from './support/size.ts'
import { until } from './support/until.ts'

const hour = 60 * minute
const start = Date.UTC(2026, 10, 16, 8)

const textsOf = async (ground: Ground, id: SessionID): Promise<readonly string[]> =>
  (await ground.messages(id)).filter(({ role }) => role === 'user').map(({ text }) => text)

/** What became of a schedule's times, oldest first, as soon as it is so many. */
const ran = (ground: Ground, id: ScheduleID, times: number): Promise<readonly ScheduleRun[]> =>
  until(`${id} to be due ${times} times`, async () => {
    const runs = (await ground.bough.scheduleRuns(id, 100)).toReversed()
    return runs.length === times && runs
  })

/** The newest run of a schedule, to its end. */
async function lastRun(ground: Ground, id: ScheduleID): Promise<SideFork> {
  const { sessionID } = (await ground.bough.scheduleRuns(id, 1))[0] ?? {}
  return ground.ended(sessionID ?? 'ses_')
}

const parked = (ground: Ground): Promise<Permission> =>
  until('something to be asked', async () => (await ground.bough.permissions())[0])

const setTime = (ground: Ground, time: number): void => {
  ground.time.now = time
}

describe('a routine', () => {
  it('has a cron line, a time zone, a prompt, an agent and model, allowed tools, and a mode; each run has them', async () => {
    const ground = await Ground.open()
    const routine = await ground.bough.addRoutine(ground.channelID, {
      ...{ cron: '0 8 * * *', zone: 'America/New_York', prompt: 'write a.txt: a\nrun touch b.txt' },
      ...{ agent: 'offline', model: 'small', allowedTools: ['read'], mode: 'background' },
    })
    expect(await ground.bough.schedules(ground.channelID)).toEqual([routine])
    expect(routine).toMatchObject({
      ...{ kind: 'routine', cron: '0 8 * * *', zone: 'America/New_York', agent: 'offline', model: 'small' },
      ...{ allowedTools: ['read'], mode: 'background', due: Date.UTC(2026, 10, 16, 13) },
    })
    setTime(ground, Date.UTC(2026, 10, 16, 13))
    await ran(ground, routine.id, 1)
    const run = await lastRun(ground, routine.id)
    expect(run).toMatchObject({ allowedTools: ['read'], scheduleID: routine.id, origin: 'schedule' })
    expect(await ground.bough.session(run.sessionID)).toMatchObject({ agent: 'offline', model: 'small' })
    expect(new Set(await ground.results(run.sessionID))).toEqual(
      new Set(['Denied: this run may not use that tool']),
    )
  })

  it('by default runs in the background, at its times and never before; the agent is told why', async () => {
    const ground = await Ground.open()
    await ground.say('main knows this')
    const { id } = await ground.bough.addRoutine(ground.channelID, {
      ...{ cron: '0 * * * *', zone: 'UTC', prompt: 'count' },
    })
    setTime(ground, start + hour - 100_000)
    await ground.looked()
    expect(await ground.sideForks()).toEqual([])
    setTime(ground, start + hour)
    expect(await ran(ground, id, 1)).toMatchObject([{ due: start + hour, how: 'ran' }])
    const run = await lastRun(ground, id)
    expect(run).toMatchObject({ kind: 'background', outcome: 'finished' })
    expect(await textsOf(ground, run.sessionID)).toEqual(['main knows this', 'count'])
    expect(await ground.contextOfLast(run.sessionID)).toContain('[schedule] This routine is due now.')
    await ground.looked()
    expect(await ground.sideForks()).toHaveLength(1)
    setTime(ground, start + 2 * hour)
    expect(await ran(ground, id, 2)).toMatchObject([{}, { due: start + 2 * hour, how: 'ran' }])
    expect(await textsOf(ground, await ground.main())).toEqual(['main knows this'])
  })

  it('in mode main has its prompt said in main; while a fork is open it waits, and is skipped meanwhile', async () => {
    const ground = await Ground.open()
    const { id } = await ground.bough.addRoutine(ground.channelID, {
      ...{ cron: '0 * * * *', zone: 'UTC', prompt: 'count', mode: 'main' },
    })
    setTime(ground, start + hour)
    await ran(ground, id, 1)
    const main = await ground.main()
    await until('it to be said', async () => (await textsOf(ground, main)).length === 1)
    await ground.looked()
    expect(await ground.contextOfLast(main)).toContain('[schedule] This routine is due now.')
    expect(ground.front.shown.map(({ turn }) => [turn.sessionID, turn.prompt.text])).toEqual([
      [main, 'count'],
    ])
    await ground.fork(undefined, 24 * 60)
    const { sessionID } = await ground.openFork()
    setTime(ground, start + 2 * hour)
    await ran(ground, id, 2)
    setTime(ground, start + 3 * hour)
    expect(await ran(ground, id, 3)).toMatchObject([{ how: 'ran' }, { how: 'ran' }, { how: 'skipped' }])
    expect(await textsOf(ground, main)).toEqual(['count'])
    await ground.exit('discard')
    await until('it to be said', async () => (await textsOf(ground, main)).length === 2)
    await ground.looked()
    expect(await textsOf(ground, main)).toEqual(['count', 'count'])
    expect(await textsOf(ground, sessionID)).toEqual(['count'])
    expect((await ground.sideForks()).map(({ kind }) => kind)).toEqual(['interactive'])
  })

  it('missed while nothing ran runs once, not once per miss', async () => {
    const ground = await Ground.open()
    const { id } = await ground.bough.addRoutine(ground.channelID, {
      ...{ cron: '0 * * * *', zone: 'UTC', prompt: 'count' },
    })
    await ground.close()
    setTime(ground, start + 5 * hour + 30 * minute)
    await ground.reopen()
    expect(await ran(ground, id, 1)).toMatchObject([{ due: start + hour, how: 'late' }])
    const run = await lastRun(ground, id)
    await ground.looked()
    expect(await ground.sideForks()).toHaveLength(1)
    expect(await ground.contextOfLast(run.sessionID)).toMatch(
      /\[schedule\] This routine comes late: it was due on/,
    )
    setTime(ground, start + 6 * hour)
    expect(await ran(ground, id, 2)).toMatchObject([{}, { due: start + 6 * hour, how: 'ran' }])
  })

  it('whose last run is still going is skipped, and that is recorded', async () => {
    const ground = await Ground.open()
    const { id } = await ground.bough.addRoutine(ground.channelID, {
      ...{ cron: '*/10 * * * *', zone: 'UTC', prompt: 'sleep 1' },
    })
    setTime(ground, start + 10 * minute)
    await ground.held(1)
    setTime(ground, start + 20 * minute)
    expect(await ran(ground, id, 2)).toMatchObject([
      { how: 'ran' },
      { how: 'skipped', due: start + 20 * minute, sessionID: null },
    ])
    expect(await ground.sideForks()).toHaveLength(1)
    ground.release(1)
    await ground.ended((await ground.sideForks())[0]?.sessionID ?? 'ses_')
    setTime(ground, start + 30 * minute)
    expect(await ran(ground, id, 3)).toMatchObject([{}, {}, { how: 'ran', due: start + 30 * minute }])
    expect(await ground.sideForks()).toHaveLength(2)
  })

  it('each run is a background fork, so each can be answered', async () => {
    const ground = await Ground.open()
    const { id } = await ground.bough.addRoutine(ground.channelID, {
      ...{ cron: '0 * * * *', zone: 'UTC', prompt: `count\n${tool('ping_user', { text: 'two herons' })}` },
    })
    for (const times of [1, 2]) {
      setTime(ground, start + times * hour)
      await ran(ground, id, times)
      const run = await lastRun(ground, id)
      await until('the ping', () => ground.front.kind('message').length === times)
      await ground.looked()
      const ping = ground.front.sent.findLast(({ what }) => what.kind === 'message')
      await ground.reply(ping?.externalID ?? '', 'which?')
      expect((await ground.bough.session((await ground.openFork()).sessionID)).parentID).toBe(run.sessionID)
      await ground.exit('discard')
    }
  })

  it('goes on with what is main now', async () => {
    const ground = await Ground.open()
    const { id } = await ground.bough.addRoutine(ground.channelID, {
      ...{ cron: '0 * * * *', zone: 'UTC', prompt: 'count' },
    })
    await ground.fork('herons')
    await ground.exit('save')
    setTime(ground, start + hour)
    await ran(ground, id, 1)
    const run = await lastRun(ground, id)
    expect((await ground.bough.session(run.sessionID)).parentID).toBe(await ground.main())
    expect(await textsOf(ground, run.sessionID)).toEqual(['herons', 'count'])
  })

  it('whose run fails says so once, and it goes on with its next time', async () => {
    const ground = await Ground.open()
    const { id } = await ground.bough.addRoutine(ground.channelID, {
      ...{ cron: '0 * * * *', zone: 'UTC', prompt: 'fail out of paper' },
    })
    setTime(ground, start + hour)
    await ran(ground, id, 1)
    expect(await lastRun(ground, id)).toMatchObject({ outcome: 'failed', reason: 'out of paper' })
    await until('the notice', () => ground.front.kind('notice').length > 0)
    await ground.looked()
    expect(ground.front.kind('notice')).toHaveLength(1)
    setTime(ground, start + 2 * hour)
    await ran(ground, id, 2)
  })

  it('whose agent is gone by then fails, and the person is told once for each time', async () => {
    const ground = await Ground.open()
    const passing = { ...createOfflineDriver(), name: 'passing' }
    const other = await ground.another({ drivers: [createOfflineDriver(), passing] })
    const { id } = await other.addRoutine(ground.channelID, {
      ...{ cron: '0 * * * *', zone: 'UTC', prompt: 'count', agent: 'passing' },
    })
    await other.close()
    for (const times of [1, 2]) {
      setTime(ground, start + times * hour)
      await ran(ground, id, times)
      expect(await lastRun(ground, id)).toMatchObject({
        ...{ outcome: 'failed', reason: expect.stringContaining('passing') },
      })
      await until('the notice', () => ground.front.kind('notice').length === times)
      await ground.looked()
    }
    expect(ground.front.kind('notice')).toHaveLength(2)
    expect(ground.front.kind('notice')[0]?.text).toMatch(/“count” failed: .*passing/)
  })

  it('that is cancelled does not run any more; one that is wanted now runs beside its times', async () => {
    const ground = await Ground.open()
    const { id, due } = await ground.bough.addRoutine(ground.channelID, {
      ...{ cron: '0 * * * *', zone: 'UTC', prompt: 'count' },
    })
    const run = await ground.bough.runSchedule(id)
    expect(await ground.ended(run?.sessionID ?? 'ses_')).toMatchObject({
      scheduleID: id,
      outcome: 'finished',
    })
    expect((await ground.bough.schedules())[0]?.due).toBe(due)
    await ground.bough.cancelSchedule(id)
    setTime(ground, start + 3 * hour)
    await ground.looked()
    expect([await ground.bough.schedules(), (await ground.sideForks()).length]).toEqual([[], 1])
  })
})

describe('a reminder', () => {
  it('runs once at a time', async () => {
    const ground = await Ground.open()
    const at = start + 20 * minute
    const { id } = await ground.bough.addReminder(ground.channelID, { at, prompt: 'tea' })
    setTime(ground, at - 30_000)
    await ground.looked()
    expect(await ground.sideForks()).toEqual([])
    setTime(ground, at)
    expect(await ran(ground, id, 1)).toMatchObject([{ due: at, how: 'ran' }])
    const run = await lastRun(ground, id)
    expect(await ground.contextOfLast(run.sessionID)).toContain('[schedule] This reminder is due now.')
    setTime(ground, at + 48 * hour)
    await ground.looked()
    expect([await ground.bough.schedules(), (await ground.sideForks()).length]).toEqual([[], 1])
  })

  it.each(['background', 'main'] as const)(
    'missed while nothing ran runs late and says so (%s)',
    async (mode) => {
      const ground = await Ground.open()
      const at = start + 20 * minute
      const { id } = await ground.bough.addReminder(ground.channelID, { at, prompt: 'tea', mode })
      await ground.close()
      setTime(ground, start + 4 * hour)
      await ground.reopen()
      expect(await ran(ground, id, 1)).toMatchObject([{ due: at, how: 'late' }])
      const sessionID = mode === 'main' ? await ground.main() : (await lastRun(ground, id)).sessionID
      await until('it to be said', async () => (await textsOf(ground, sessionID)).includes('tea'))
      expect(await ground.contextOfLast(sessionID)).toMatch(
        /\[schedule\] This reminder comes late: it was due on Monday.*16 November 2026/,
      )
    },
  )
})

describe('schedules that an agent makes with its tools', () => {
  const routine = tool('add_routine', { cron: '0 8 * * 1-5', time_zone: 'Europe/Berlin', prompt: 'the news' })

  it('are asked for with all that the person agrees to, and made when they do', async () => {
    const ground = await Ground.open()
    const saying = ground.say(routine)
    const asked = await parked(ground)
    expect(asked).toMatchObject({ sessionID: await ground.main(), tool: 'add_routine', state: 'asked' })
    for (const piece of ['0 8 * * 1-5', 'Europe/Berlin', 'the news', 'in the background'])
      expect(asked.detail).toContain(piece)
    expect(await ground.bough.schedules()).toEqual([])
    await ground.bough.answer(asked.id, { allow: true })
    await saying
    expect(await ground.bough.schedules(ground.channelID)).toMatchObject([
      { kind: 'routine', cron: '0 8 * * 1-5', zone: 'Europe/Berlin', prompt: 'the news', state: 'active' },
    ])
    await ground.say(tool('list_schedule'))
    expect((await ground.results(await ground.main())).at(-1)).toContain('the news')
  })

  it('and denied are not made, by the person and by the time limit', async () => {
    const ground = await Ground.open({ config: { permissions: { timeout: 1 } } })
    const saying = ground.say(routine)
    await ground.bough.answer((await parked(ground)).id, { allow: false })
    await saying
    await ground.say(tool('add_reminder', { in_minutes: 5, prompt: 'tea' }))
    expect(await ground.results(await ground.main())).toEqual([
      'Not added: the person denied it',
      'Not added: nobody answered in time',
    ])
    expect(await ground.bough.schedules()).toEqual([])
    setTime(ground, start + 10 * minute)
    await ground.looked()
    expect(await ground.sideForks()).toEqual([])
  })

  it('what was allowed for one does not allow the next', async () => {
    const ground = await Ground.open()
    for (const times of [1, 2]) {
      const saying = ground.say(routine)
      await ground.bough.answer((await parked(ground)).id, { allow: true })
      await saying
      expect(await ground.bough.schedules()).toHaveLength(times)
    }
  })

  it('in a fork belong to the channel of that fork, and stay when it is discarded', async () => {
    const ground = await Ground.open()
    await ground.fork()
    const saying = ground.say(tool('add_reminder', { in_minutes: 5, prompt: 'tea' }))
    await ground.bough.answer((await parked(ground)).id, { allow: true })
    await saying
    await ground.exit('discard')
    const [reminder] = await ground.bough.schedules(ground.channelID)
    setTime(ground, reminder?.due ?? 0)
    await ran(ground, reminder?.id ?? 'sch_', 1)
    const run = await lastRun(ground, reminder?.id ?? 'sch_')
    expect((await ground.bough.session(run.sessionID)).parentID).toBe(await ground.main())
  })
})

describe('two daemons and a chat on one store', () => {
  /** Which minutes of an hour, in which hours; told apart from what the program makes of its cron lines. */
  interface Plan {
    readonly cron: string
    readonly prompt: string
    readonly mode: 'background' | 'main'
    isDue(minuteOfHour: number, hourOfDay: number): boolean
    /** How often it runs at least: what is due when nothing is going on is not skipped. */
    atLeast(hours: number): number
  }
  const plans: readonly Plan[] = [
    {
      cron: '*/7 * * * *',
      prompt: 'look',
      mode: 'background',
      isDue: (m) => m % 7 === 0,
      atLeast: (h) => 2 * h,
    },
    {
      cron: '0 * * * *',
      prompt: 'run sleep 0.2',
      mode: 'background',
      isDue: (m) => m === 0,
      atLeast: (h) => h,
    },
    {
      cron: '*/30 * * * *',
      prompt: 'sum up',
      mode: 'main',
      isDue: (m) => m % 30 === 0,
      atLeast: (h) => 2 * h,
    },
    {
      ...{ cron: '13,14 9-12 * * *', prompt: tool('ping_user', { text: 'here' }), mode: 'background' },
      isDue: (m, h) => (m === 13 || m === 14) && h >= 9 && h <= 12,
      atLeast: () => 4,
    },
  ]
  const hours = count(24, 6)
  const minutesOf = (from: number): readonly number[] =>
    Array.from({ length: hours * 60 }, (_, index) => from + (index + 1) * minute)
  const isDue = (plan: Plan, time: number): boolean =>
    plan.isDue(new Date(time).getUTCMinutes(), new Date(time).getUTCHours())

  it('what is for main is said by the process that put it into the queue, also while another keeps time', async () => {
    const ground = await Ground.open({ isUnattended: true })
    const daemon = await Keeper.start(ground.home, { keepsTime: true })
    const chat = await Keeper.start(ground.home, { attends: ground.channelID })
    expect((await (await ground.store()).duties.get('time'))?.process.pid).toBe(daemon.program.pid)
    const { id } = await ground.bough.addReminder(ground.channelID, {
      ...{ at: Date.now() + 24 * hour, prompt: 'tea', mode: 'main' },
    })
    await chat.runSchedule(id)
    await chat.say(ground.channelID, { kind: 'message', text: 'hello' }).done()
    expect(await textsOf(ground, await ground.main())).toEqual(['tea', 'hello'])
  })

  it('over hours of simulated schedule: each routine due fires once, though one of them is killed', async () => {
    const ground = await Ground.open({
      ...{ isUnattended: true, config: { permissions: { allow: ['run'] } } },
    })
    const { channelID, home } = ground
    const clock = new SharedClock(ground.directory, start)
    setTime(ground, start)
    const routines: { readonly plan: Plan; readonly schedule: Schedule }[] = []
    for (const plan of plans) {
      const { cron, prompt, mode } = plan
      const schedule = await ground.bough.addRoutine(channelID, { cron, prompt, mode, zone: 'UTC' })
      routines.push({ plan, schedule })
    }
    const store = await ground.store()
    const keeping = { clock: clock.file, keepsTime: true }
    const daemons = [await Keeper.start(home, keeping), await Keeper.start(home, keeping)]
    const chat = await Keeper.start(home, { clock: clock.file, attends: channelID })

    const times = minutesOf(start).filter((time) => plans.some((plan) => isDue(plan, time)))
    const middle = times[Math.floor(times.length / 2)] ?? 0
    const isQuiet = () =>
      until(
        'all to be over',
        async () =>
          (await store.sideForks.open()).length === 0 && (await store.inbox.open(channelID)).length === 0,
        20_000,
      )
    for (const time of times) {
      clock.set(time)
      if (time === middle) {
        // Whoever is about to fire what is due now.
        const pid = (await store.duties.get('time'))?.process.pid
        const holder = daemons.find(({ program }) => program.pid === pid) ?? daemons[0]
        await holder?.program.kill()
      }
      if (new Date(time).getUTCMinutes() === 35) chat.say(channelID, { kind: 'message', text: 'hello' })
      await until(
        `what is due at ${new Date(time).toISOString()}`,
        async () => ((await store.schedules.nextDue()) ?? Number.POSITIVE_INFINITY) > time,
      )
      // Otherwise nearly everything would be skipped: hours pass in seconds.
      if ([28, 56].includes(new Date(time).getUTCMinutes())) await isQuiet()
    }
    await isQuiet()

    const forks = await store.sideForks.list({ channelID, limit: 10_000 })
    const inMain = await textsOf(ground, await ground.main())
    for (const { plan, schedule } of routines) {
      const runs = (await store.schedules.runs(schedule.id, 10_000)).toReversed()
      expect(runs.map(({ due }) => due)).toEqual(times.filter((time) => isDue(plan, time)))
      expect(runs.filter(({ how }) => how === 'failed')).toEqual([])
      const began = runs.filter(({ how }) => how !== 'skipped')
      expect(began.length).toBeGreaterThanOrEqual(plan.atLeast(hours))
      const own = forks.filter(({ scheduleID }) => scheduleID === schedule.id)
      if (plan.mode === 'main') {
        expect([own, began.map(({ sessionID }) => sessionID).filter(Boolean)]).toEqual([[], []])
        expect(inMain.filter((text) => text === plan.prompt)).toHaveLength(began.length)
      } else {
        expect(own.map(({ sessionID }) => sessionID).toSorted()).toEqual(
          began.map(({ sessionID }) => sessionID).toSorted(),
        )
      }
    }
    expect(inMain.filter((text) => text === 'hello')).toHaveLength(hours)
    expect(daemons.filter(({ program }) => program.complaints !== '')).toEqual([])
  })
})
