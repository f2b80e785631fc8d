import { describe, expect, it } from 'vitest'
import { until } from '../until.ts'
import { type OpenGround, refused, unknown } from './ground.ts'
import { openTalk } from './talk.ts'

const hour = 3_600_000

export const schedules = (open: OpenGround) =>
  describe('a schedule', () => {
    it('is a routine or a reminder, of a channel or of the session that it belongs to', async () => {
      const ground = await open()
      const { bough, session } = ground
      const { channelID } = await openTalk(ground)
      const routine = await bough.addRoutine(channelID, {
        ...{ prompt: 'look', cron: '0 9 * * *', zone: 'Europe/Berlin', allowedTools: ['read'] },
        ...{ agent: 'scripted', model: 'small', sandbox: 'on' as const },
      })
      expect(routine).toMatchObject({
        kind: 'routine',
        cron: '0 9 * * *',
        zone: 'Europe/Berlin',
        state: 'active',
      })
      expect(routine).toMatchObject({
        allowedTools: ['read'],
        agent: 'scripted',
        model: 'small',
        sandbox: 'on',
        channelID,
      })
      const at = Date.now() + hour
      const reminder = await bough.addReminder(await session(), { prompt: 'call', at, mode: 'main' })
      expect(reminder).toMatchObject({ kind: 'reminder', due: at, mode: 'main', allowedTools: null })
      expect(await bough.schedules()).toEqual([routine, reminder])
      expect(await bough.schedules(channelID)).toEqual([routine])
      expect(await bough.schedules(unknown.channel)).toEqual([])
      expect(await bough.findSchedule(routine.id.slice(-10))).toEqual(routine)
      await refused(bough.findSchedule(routine.id.slice(4, 7)), 'ambiguous_id')
      await refused(bough.findSchedule('zzzzzzzz'), 'not_found')
      await refused(bough.findSchedule('no id'), 'bad_input')
    })

    it('is not made where something is wrong with it', async () => {
      const ground = await open()
      const { bough } = ground
      const { channelID } = await openTalk(ground)
      const at = Date.now() + hour
      const cron = '0 9 * * *'
      await refused(bough.addRoutine(channelID, { prompt: 'look', cron: 'never' }), 'bad_input')
      await refused(bough.addRoutine(channelID, { prompt: 'look', cron, zone: 'Nowhere/Land' }), 'bad_input')
      await refused(bough.addRoutine(channelID, { prompt: ' ', cron }), 'bad_input')
      await refused(bough.addRoutine(unknown.channel, { prompt: 'look', cron }), 'not_found')
      await refused(bough.addReminder(channelID, { prompt: 'look', at: 1 }), 'bad_input')
      await refused(bough.addReminder(channelID, { prompt: 'look', at: Number.NaN }), 'bad_input')
      await refused(bough.addReminder(channelID, { prompt: 'look', at, agent: 'nobody' }), 'agent_unknown')
      await refused(
        bough.addReminder(channelID, { prompt: 'look', at, mode: 'main', model: 'x' }),
        'bad_input',
      )
      await refused(bough.addReminder(unknown.session, { prompt: 'look', at }), 'not_found')
      expect(await bough.schedules()).toEqual([])
    })

    it('is changed and cancelled while it is active', async () => {
      const ground = await open()
      const { bough } = ground
      const { channelID } = await openTalk(ground)
      const { id } = await bough.addRoutine(channelID, { prompt: 'look', cron: '0 9 * * *', zone: 'UTC' })
      const change = { prompt: 'look again', cron: '30 9 * * *', zone: 'Asia/Tokyo' }
      expect(await bough.changeSchedule(id, change)).toMatchObject(change)
      const reminder = await bough.addReminder(channelID, { prompt: 'call', at: Date.now() + hour })
      const at = Date.now() + 2 * hour
      expect(await bough.changeSchedule(reminder.id, { at })).toMatchObject({ due: at, prompt: 'call' })
      expect(await bough.changeSchedule(reminder.id, { at: at + 0.5 })).toMatchObject({ due: at + 1 })
      await refused(bough.changeSchedule(reminder.id, { cron: '0 9 * * *' }), 'bad_input')
      await refused(bough.changeSchedule(id, { at }), 'bad_input')
      await refused(bough.changeSchedule(id, { prompt: ' ' }), 'bad_input')
      await refused(bough.changeSchedule(unknown.schedule, {}), 'not_found')
      expect(await bough.cancelSchedule(id)).toMatchObject({ id, state: 'cancelled', due: null })
      await refused(bough.cancelSchedule(id), 'bad_input')
      await refused(bough.changeSchedule(id, {}), 'bad_input')
      await refused(bough.cancelSchedule(unknown.schedule), 'not_found')
      expect((await bough.schedules()).map((each) => each.id)).toEqual([reminder.id])
    })

    it('runs when somebody asks for that, beside its times', async () => {
      const ground = await open()
      const { bough } = ground
      const { channelID, mainID, prompts } = await openTalk(ground)
      await bough.keepTime()
      const { id } = await bough.addRoutine(channelID, { prompt: 'look', cron: '0 9 * * *' })
      const run = await bough.runSchedule(id)
      expect(run).toMatchObject({ kind: 'background', origin: 'schedule', prompt: 'look', scheduleID: id })
      const toMain = await bough.addReminder(channelID, {
        prompt: 'to main',
        at: Date.now() + hour,
        mode: 'main',
      })
      expect(await bough.runSchedule(toMain.id)).toBeNull()
      await until('main to be told', async () => (await prompts(mainID)).length > 0)
      await refused(bough.runSchedule(unknown.schedule), 'not_found')
    })

    it('runs at its time, and what became of its times is told', async () => {
      const ground = await open()
      const { bough } = ground
      const { channelID } = await openTalk(ground)
      await bough.keepTime()
      const { id } = await bough.addReminder(channelID, { prompt: 'look', at: Date.now() + 300 })
      const [ran] = await until('it to run', async () => {
        const runs = await bough.scheduleRuns(id)
        return runs.length > 0 && runs
      })
      expect(ran).toMatchObject({
        scheduleID: id,
        how: 'ran',
        reason: null,
        sessionID: expect.stringMatching(/^ses_/),
      })
      expect(await bough.findSchedule(id)).toMatchObject({ state: 'done', due: null })
      expect(await bough.scheduleRuns(id, 1)).toHaveLength(1)
      expect(await bough.scheduleRuns(unknown.schedule)).toEqual([])
    })
  })
