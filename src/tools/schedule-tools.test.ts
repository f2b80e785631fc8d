import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { callTool } from '../agents/tool-call.ts'
import { addReminder, addRoutine, cancelSchedule } from '../routines/schedules.ts'
import { minute, newGround } from '../routines/testing/ground.ts'
import { findSchedule } from '../store/find.ts'
import type { Json } from '../tree/message.ts'
import { scheduleTools } from './schedule-tools.ts'

/** The four tools on a real store; a person who answers what the test says. */
async function newTools(answer: { allow: true } | { allow: false; reason: string } = { allow: true }) {
  const { time, parts, store, channelID } = await newGround()
  const asked: { readonly tool: string; readonly detail: string }[] = []
  const tools = scheduleTools({
    addRoutine: (draft) => addRoutine(parts, channelID, draft),
    addReminder: (draft) => addReminder(parts, channelID, draft),
    list: () => store.schedules.list(channelID),
    cancel: async (typed) => cancelSchedule(parts, (await findSchedule(store, typed)).id),
    async approve(tool, detail) {
      asked.push({ tool, detail })
      return answer
    },
    now: () => time.now,
    zone: 'Europe/Berlin',
  })
  const call = (name: string, given: Json) => {
    const tool = tools.find((each) => each.name === name)
    if (!tool) throw new Error(`no tool ${name}`)
    return callTool(tool, given)
  }
  return { tools, call, asked, time, schedules: () => store.schedules.list() }
}

describe('add_routine', () => {
  it('shows a person everything, and adds it when they approve', async () => {
    const { call, asked, schedules } = await newTools()
    const { output, exitCode } = await call('add_routine', {
      ...{ cron: '0 8 * * 1-5', time_zone: 'America/New_York', prompt: 'Read the news.\nShort.' },
      ...{ mode: 'background', allowed_tools: ['web', 'read'], agent: 'offline', model: 'small' },
    })
    expect(asked).toEqual([
      {
        tool: 'add_routine',
        detail: [
          'Cron: 0 8 * * 1-5',
          'Time zone: America/New_York',
          'Next: Mon, 16 Nov 2026, 08:00 (America/New_York)',
          'Where: in the background',
          'Agent: offline, model small',
          'Tools: only web, read',
          'Prompt: Read the news.',
          'Short.',
        ].join('\n'),
      },
    ])
    expect(await schedules()).toMatchObject([
      {
        ...{ kind: 'routine', cron: '0 8 * * 1-5', zone: 'America/New_York', mode: 'background' },
        ...{ allowedTools: ['web', 'read'], agent: 'offline', model: 'small' },
      },
    ])
    expect([exitCode, output]).toEqual([
      0,
      expect.stringMatching(/^Added: \w{6} {2}routine "0 8 \* \* 1-5", next Mon, /),
    ])
  })

  it('that is denied adds nothing and says why', async () => {
    const { call, asked, schedules } = await newTools({ allow: false, reason: 'Not so early.' })
    const end = await call('add_routine', { cron: '0 5 * * *', prompt: 'tea' })
    expect(end).toEqual({ output: 'Not added: Not so early.', exitCode: 1 })
    expect(asked[0]?.detail).toContain('Time zone: Europe/Berlin')
    expect(await schedules()).toEqual([])
  })

  it.each([
    [{ cron: '0 8 * * * *', prompt: 'tea' }, 'at most once a minute'],
    [{ cron: '0 8 * * *', prompt: ' ' }, 'prompt: The prompt is empty.'],
    [{ cron: '0 8 * * *', prompt: 'tea', time_zone: 'Berlin' }, 'no time zone "Berlin"'],
    [{ cron: '0 8 * * *', prompt: 'tea', timezone: 'UTC' }, 'timezone'],
    [{ cron: '0 8 * * *', prompt: 'tea', mode: 'loud' }, 'mode: '],
    [{ prompt: 'tea' }, 'cron: '],
  ])('%j is told to the agent, and nobody is asked', async (given, words) => {
    const { call, asked, schedules } = await newTools()
    expect(await call('add_routine', given)).toEqual({ output: expect.stringContaining(words), exitCode: 1 })
    expect([asked, await schedules()]).toEqual([[], []])
  })
})

describe('add_reminder', () => {
  it('takes a local time, a time with an offset, or minutes', async () => {
    const { call, asked, schedules, time } = await newTools()
    await call('add_reminder', { at: '2026-11-16T18:00', prompt: 'tea' })
    await call('add_reminder', { at: '2026-11-16T18:00-05:00', prompt: 'tea', allowed_tools: [] })
    await call('add_reminder', { in_minutes: 20, prompt: 'tea', mode: 'background' })
    expect((await schedules()).map(({ due }) => due)).toEqual([
      Date.UTC(2026, 10, 16, 17),
      Date.UTC(2026, 10, 16, 23),
      time.now + 20 * minute,
    ])
    expect(asked.map(({ detail }) => detail.split('\n'))).toEqual([
      [
        'Once: Mon, 16 Nov 2026, 18:00 (Europe/Berlin)',
        'Where: in the background',
        'Agent: that of the main conversation',
        'Tools: all that are allowed anyway',
        'Prompt: tea',
      ],
      expect.arrayContaining(['Once: Tue, 17 Nov 2026, 00:00 (Europe/Berlin)', 'Tools: none']),
      expect.arrayContaining(['Once: Mon, 16 Nov 2026, 09:20 (Europe/Berlin)']),
    ])
  })

  it.each([
    [{ prompt: 'tea' }, 'Give either at or in_minutes.'],
    [{ prompt: 'tea', at: '2026-11-16T18:00', in_minutes: 5 }, 'Give either at or in_minutes.'],
    [{ prompt: 'tea', at: 'tomorrow' }, 'is no time'],
    [{ prompt: 'tea', at: '2026-11-16T08:00' }, 'it is Mon, 16 Nov 2026, 09:00 (Europe/Berlin) now'],
    [{ prompt: 'tea', in_minutes: -5 }, 'in_minutes: '],
  ])('%j is told to the agent, and nobody is asked', async (given, words) => {
    const { call, asked, schedules } = await newTools()
    expect(await call('add_reminder', given)).toEqual({ output: expect.stringContaining(words), exitCode: 1 })
    expect([asked, await schedules()]).toEqual([[], []])
  })
})

it('list_schedule lists them with their ids, and cancel_schedule cancels one without asking', async () => {
  const { call, asked, schedules } = await newTools()
  expect(await call('list_schedule', {})).toEqual({ output: 'Nothing is scheduled.', exitCode: 0 })
  await call('add_routine', { cron: '0 8 * * *', prompt: 'the\nnews', mode: 'main' })
  await call('add_reminder', { in_minutes: 20, prompt: 'tea' })
  const { output } = await call('list_schedule', {})
  const [first = '', second = ''] = output.split('\n')
  expect(first).toMatch(
    / {2}routine "0 8 \* \* \*", next Tue, 17 Nov 2026, 08:00 \(Europe\/Berlin\), in the main conversation: the news$/,
  )
  expect(second).toMatch(/ {2}reminder, next Mon, 16 Nov 2026, 09:20 \(Europe\/Berlin\): tea$/)
  const id = first.slice(0, 6)
  expect(await call('cancel_schedule', { id })).toEqual({
    output: `The routine ${id} is cancelled.`,
    exitCode: 0,
  })
  expect(await call('cancel_schedule', { id })).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('has been cancelled'),
  })
  expect([(await schedules()).length, asked.length]).toEqual([1, 2])
})

it('each tool can be described to an agent', async () => {
  const { tools } = await newTools()
  expect(tools.map(({ name, input }) => [name, Object.keys(z.toJSONSchema(input).properties ?? {})])).toEqual(
    [
      ['add_routine', ['cron', 'time_zone', 'prompt', 'mode', 'allowed_tools', 'agent', 'model', 'files']],
      ['add_reminder', ['at', 'in_minutes', 'prompt', 'mode', 'allowed_tools', 'agent', 'model', 'files']],
      ['list_schedule', []],
      ['cancel_schedule', ['id']],
    ],
  )
})
