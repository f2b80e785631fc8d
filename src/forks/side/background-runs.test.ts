import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import type { Driver } from '../../agents/driver.ts'
import { createOfflineDriver } from '../../agents/offline/offline.ts'
import type { SessionID } from '../../tree/ids.ts'
import type { Permission } from '../../tree/permission.ts'
import type { RunOptions, SideFork } from '../../tree/side-fork.ts'
import { Ground, minute, tool } from './testing/ground.ts'

/** Starts one without waiting for it. */
const start = (ground: Ground, prompt: string, options: RunOptions = {}): Promise<SideFork> =>
  ground.bough.runBackground(ground.channelID, prompt, options)

const begun = (ground: Ground, id: SessionID): Promise<SideFork> =>
  until(`${id} to begin`, async () => {
    const fork = await ground.sideFork(id)
    return fork.began !== null && fork
  })

const running = async (ground: Ground): Promise<number> =>
  (await ground.sideForks()).filter(({ state, began }) => state === 'open' && began !== null).length

/** What is asked, as soon as something is. */
const parked = (ground: Ground): Promise<Permission> =>
  until('something to be asked', async () => (await ground.bough.permissions())[0])

const textsOf = async (ground: Ground, id: SessionID): Promise<readonly string[]> =>
  (await ground.messages(id)).filter(({ role }) => role === 'user').map(({ text }) => text)

const noticesOf = (ground: Ground): readonly string[] => ground.front.kind('notice').map(({ text }) => text)

const exists = (ground: Ground, file: string): boolean => existsSync(join(ground.directory, file))

describe('a background fork', () => {
  it('does not wait for main: it branches from main’s last finished turn', async () => {
    const ground = await Ground.open()
    await ground.say('the first')
    const last = (await ground.messages(await ground.main())).at(-1)
    const saying = ground.say('the second\nsleep 1')
    await ground.held(1)
    const { sessionID } = await ground.run('look around')
    expect(await ground.bough.session(sessionID)).toMatchObject({
      ...{ parentID: await ground.main(), forkPoint: last?.id, kind: 'background', title: 'look around' },
    })
    expect(await textsOf(ground, sessionID)).toEqual(['the first', 'look around'])
    ground.release(1)
    await saying
    expect(await textsOf(ground, await ground.main())).toEqual(['the first', 'the second\nsleep 1'])
  })

  it('begins at nothing where main has not finished a turn yet', async () => {
    const ground = await Ground.open()
    const saying = ground.say('sleep 1')
    await ground.held(1)
    const { sessionID } = await ground.run('look around')
    expect((await ground.bough.session(sessionID)).forkPoint).toBeNull()
    expect(await textsOf(ground, sessionID)).toEqual(['look around'])
    ground.release(1)
    await saying
  })

  it('runs beside main, beside the open interactive fork and beside others', async () => {
    const ground = await Ground.open()
    await ground.fork()
    const open = await ground.openFork()
    const saying = ground.say('sleep 1')
    await ground.held(1)
    const held = await start(ground, 'sleep 2')
    await begun(ground, held.sessionID)
    expect(await ground.run('look around')).toMatchObject({ outcome: 'finished' })
    expect((await ground.openFork()).sessionID).toBe(open.sessionID)
    ground.release(1)
    ground.release(2)
    await saying
    expect(await ground.ended(held.sessionID)).toMatchObject({ outcome: 'finished' })
    expect((await ground.bough.session(held.sessionID)).parentID).toBe(await ground.main())
  })

  it('runs to its end by itself, as many at once as the limit allows: by default four, and the fifth waits', async () => {
    const ground = await Ground.open()
    const ids: SessionID[] = []
    for (const gate of [1, 2, 3, 4, 5]) ids.push((await start(ground, `sleep ${gate}`)).sessionID)
    for (const id of ids.slice(0, 4)) await begun(ground, id)
    await ground.looked()
    const fifth = ids[4] ?? 'ses_'
    expect([await running(ground), (await ground.sideFork(fifth)).began]).toEqual([4, null])
    expect(await textsOf(ground, fifth)).toEqual([])
    ground.release(2)
    await begun(ground, fifth)
    expect(await running(ground)).toBe(4)
    for (const gate of [1, 3, 4, 5]) ground.release(gate)
    for (const id of ids) expect(await ground.ended(id)).toMatchObject({ outcome: 'finished', reason: null })
  })

  it('counts towards the limit of every Bough on the store', async () => {
    const ground = await Ground.open({ config: { forks: { limit: 2 } } })
    const other = await ground.another()
    await other.keepTime()
    const ids: SessionID[] = []
    for (const gate of [1, 2, 3, 4]) {
      const bough = gate % 2 === 0 ? other : ground.bough
      ids.push((await bough.runBackground(ground.channelID, `sleep ${gate}`)).sessionID)
    }
    await until('two to run', async () => (await running(ground)) === 2)
    await ground.looked()
    expect(await running(ground)).toBe(2)
    for (const gate of [1, 2, 3, 4]) {
      ground.release(gate)
      await ground.ended(ids[gate - 1] ?? 'ses_')
      expect(await running(ground)).toBeLessThanOrEqual(2)
    }
  })

  it('waits for its place in the order in which it was started, where the limit is one', async () => {
    const ground = await Ground.open({ config: { forks: { limit: 1 } } })
    const ids: SessionID[] = []
    for (const name of ['a', 'b', 'c'])
      ids.push((await start(ground, `append order.txt: ${name}\nsleep 1`)).sessionID)
    ground.release(1)
    const ended = await Promise.all(ids.map((id) => ground.ended(id)))
    const begins = ended.map(({ began }) => began ?? 0)
    expect(begins).toEqual(begins.toSorted((a, b) => a - b))
    expect(ended.slice(1).every(({ began }, i) => (began ?? 0) >= (ended[i]?.ended ?? 0))).toBe(true)
  })

  it('has an agent, a model, tools and a time limit of its own, by default main’s and thirty minutes', async () => {
    const another: Driver = { ...createOfflineDriver({ pace: 0 }), name: 'another' }
    const ground = await Ground.open({ drivers: [createOfflineDriver({ pace: 0 }), another] })
    const usual = await ground.run('look')
    expect(usual).toMatchObject({ timeout: 30 * minute, allowedTools: null, scheduleID: null })
    expect(await ground.bough.session(usual.sessionID)).toMatchObject({ agent: 'offline', model: null })
    const own = await start(ground, 'look', {
      ...{ agent: 'another', model: 'small', allowedTools: ['read'], timeout: 5 },
    })
    expect(own).toMatchObject({ timeout: 5 * minute, allowedTools: ['read'] })
    expect(await ground.bough.session(own.sessionID)).toMatchObject({ agent: 'another', model: 'small' })
    expect(await ground.ended(own.sessionID)).toMatchObject({ outcome: 'finished' })
  })

  it('of an agent that is not there, without a prompt or without time is refused, and nothing is made', async () => {
    const ground = await Ground.open()
    await expect(start(ground, 'look', { agent: 'nobody' })).rejects.toMatchObject({ code: 'agent_unknown' })
    await expect(start(ground, ' \n')).rejects.toMatchObject({ code: 'bad_input' })
    await expect(start(ground, 'look', { timeout: 0 })).rejects.toMatchObject({ code: 'bad_input' })
    await ground.say(tool('run_background', { prompt: 'look', agent: 'nobody' }))
    expect(await ground.results(await ground.main())).toEqual([expect.stringContaining('nobody')])
    expect(await ground.sideForks()).toEqual([])
  })

  it('that the agent starts runs after its turn too, and the tool’s answer names it', async () => {
    const ground = await Ground.open()
    await ground.say(
      tool('run_background', { prompt: tool('report_updates', { message: 'tall' }), timeout: 7 }),
    )
    const [run] = await ground.sideForks()
    expect(run).toMatchObject({ kind: 'background', origin: 'agent', timeout: 7 * minute })
    expect(await ground.results(await ground.main())).toEqual([
      expect.stringContaining(run?.sessionID.slice(-6) ?? '-'),
    ])
    await ground.ended(run?.sessionID ?? 'ses_')
    expect(await ground.updates()).toEqual(['tall'])
  })

  it('shows its text to nobody; what it wants seen it sends with ping_user or send_embed', async () => {
    const ground = await Ground.open()
    const ping = tool('ping_user', { text: 'The heron is here.' })
    const embed = tool('send_embed', { title: 'Herons', body: 'Two of them.' })
    const { sessionID } = await ground.run(`secret words\n${ping}\n${embed}`)
    await until('both to be sent', () => ground.front.sent.length === 2)
    await ground.looked()
    expect(ground.front.sent.map(({ what }) => what)).toEqual([
      { kind: 'message', text: 'The heron is here.' },
      { kind: 'embed', title: 'Herons', body: 'Two of them.', buttons: [] },
    ])
    expect(ground.front.shown).toEqual([])
    expect(await textsOf(ground, await ground.main())).toEqual([])
    expect((await ground.messages(sessionID)).at(-1)?.text).toContain('secret words')
  })

  it('is told that it runs by itself, and what time it is', async () => {
    const ground = await Ground.open()
    const { sessionID } = await ground.run('look')
    const context = await ground.contextOfLast(sessionID)
    expect(context).toMatch(/^<bough>\nMonday,? 16 November 2026/)
    expect(context).toMatch(/\[fork-started\] You are in a background fork .*ends with this turn/s)
  })

  it('that is started where nobody keeps time runs as soon as somebody does', async () => {
    const ground = await Ground.open({ isUnattended: true })
    const { sessionID, process } = await start(ground, 'look')
    expect([process, (await ground.sideFork(sessionID)).state]).toEqual([null, 'open'])
    await ground.bough.keepTime()
    expect(await ground.ended(sessionID)).toMatchObject({ outcome: 'finished' })
  })

  it('that waits when bough is closed runs after it; one that runs has failed, and that is told once', async () => {
    const ground = await Ground.open({ config: { forks: { limit: 1 } } })
    const [one, two] = [await start(ground, 'sleep 1'), await start(ground, 'look')]
    await ground.held(1)
    await ground.close()
    await ground.reopen()
    expect(await ground.ended(one.sessionID)).toMatchObject({ outcome: 'failed' })
    expect(await ground.ended(two.sessionID)).toMatchObject({ outcome: 'finished' })
    await ground.looked()
    expect(noticesOf(ground)).toEqual([expect.stringContaining('“sleep 1” failed')])
  })

  it('is ended by a person at once, while it runs and while it waits', async () => {
    const ground = await Ground.open({ config: { forks: { limit: 1 } } })
    const [one, two] = [await start(ground, 'sleep 1\nwrite a.txt: a'), await start(ground, 'write b.txt: b')]
    await ground.held(1)
    const three = await start(ground, 'look')
    await ground.bough.exit(two.sessionID, { action: 'discard' })
    expect(await ground.bough.exit(one.sessionID, { action: 'discard' })).toMatchObject({
      outcome: 'discarded',
    })
    expect(await ground.ended(three.sessionID)).toMatchObject({ outcome: 'finished' })
    await ground.looked()
    expect([exists(ground, 'a.txt'), exists(ground, 'b.txt'), noticesOf(ground)]).toEqual([false, false, []])
    expect(await ground.sideFork(one.sessionID)).toMatchObject({ outcome: 'discarded' })
    await expect(ground.bough.exit(one.sessionID, { action: 'save' })).rejects.toMatchObject({
      code: 'fork_ended',
    })
  })
})

describe('on time-out or failure the person gets one short notice that names the run, and the fork stays answerable', () => {
  it('after its time limit, and never before it', async () => {
    const ground = await Ground.open()
    const { sessionID } = await start(ground, 'count the herons\nsleep 1', { timeout: 5 })
    await ground.held(1)
    ground.pass(4.9)
    await ground.looked()
    expect((await ground.sideFork(sessionID)).state).toBe('open')
    ground.pass(0.2)
    expect(await ground.ended(sessionID)).toMatchObject({
      ...{ outcome: 'timed-out', reason: 'It took longer than 5 minutes.', reported: false, pinged: false },
    })
    await ground.looked()
    expect(noticesOf(ground)).toEqual([
      'The background run “count the herons” took too long and was stopped. Reply to this message to go on with it.',
    ])
    await ground.reply(ground.front.sent[0]?.externalID ?? '', 'go on')
    expect((await ground.bough.session((await ground.openFork()).sessionID)).parentID).toBe(sessionID)
  })

  it('after thirty minutes where nothing was said; time in which it waits for its place does not count', async () => {
    const ground = await Ground.open({ config: { forks: { limit: 1 } } })
    const [one, two] = [await start(ground, 'sleep 1'), await start(ground, 'sleep 2', { timeout: 10 })]
    await ground.held(1)
    ground.pass(29.9)
    await ground.looked()
    expect((await ground.sideFork(one.sessionID)).state).toBe('open')
    ground.pass(0.2)
    expect(await ground.ended(one.sessionID)).toMatchObject({ outcome: 'timed-out' })
    await ground.held(2)
    await ground.looked()
    expect((await ground.sideFork(two.sessionID)).state).toBe('open')
    ground.release(2)
    expect(await ground.ended(two.sessionID)).toMatchObject({ outcome: 'finished' })
  })

  it('a failed background run can be replied to', async () => {
    const ground = await Ground.open()
    await ground.say('main knows this')
    const run = await ground.run('count the herons\nfail out of paper')
    expect(run).toMatchObject({ outcome: 'failed', reason: 'out of paper' })
    await ground.looked()
    expect(noticesOf(ground)).toEqual([
      'The background run “count the herons” failed: out of paper. Reply to this message to go on with it.',
    ])
    await ground.reply(ground.front.sent[0]?.externalID ?? '', 'try again')
    const { sessionID } = await ground.openFork()
    expect(await textsOf(ground, sessionID)).toEqual([
      ...['main knows this', 'count the herons\nfail out of paper', 'try again'],
    ])
    expect(await ground.sideFork(run.sessionID)).toEqual(run)
  })

  it('also when its agent cannot be opened', async () => {
    const broken: Driver = {
      ...{ ...createOfflineDriver(), name: 'broken' },
      open: async () => {
        throw new Error('no such program')
      },
    }
    const ground = await Ground.open({ drivers: [createOfflineDriver({ pace: 0 }), broken] })
    const { sessionID } = await start(ground, 'look', { agent: 'broken' })
    expect(await ground.ended(sessionID)).toMatchObject({ outcome: 'failed' })
    await until('the notice', () => noticesOf(ground).length > 0)
    await ground.looked()
    expect(noticesOf(ground)).toEqual([expect.stringMatching(/“look” failed: .*no such program/)])
  })

  it('one that ends well is told to nobody', async () => {
    const ground = await Ground.open()
    await ground.run('look')
    await ground.looked()
    expect(ground.front.sent).toEqual([])
  })
})

describe('whether a run reported, pinged, saved or stayed silent is recorded and shown in the tree', () => {
  it('each by itself', async () => {
    const ground = await Ground.open()
    const deeds = {
      reported: await ground.run(tool('report_updates', { message: 'tall' })),
      pinged: await ground.run(tool('ping_user', { text: 'here' })),
      embedded: await ground.run(tool('send_embed', { title: 'a', body: 'b' })),
      silent: await ground.run('look'),
      saved: await ground.run(tool('save_context')),
    }
    const flagsOf = (id: SessionID) => async () => {
      const row = (await ground.bough.tree()).find((each) => each.id === id)
      return [row?.fork?.outcome, row?.fork?.reported, row?.fork?.pinged, row?.isMain]
    }
    expect(await flagsOf(deeds.reported.sessionID)()).toEqual(['finished', true, false, false])
    expect(await flagsOf(deeds.pinged.sessionID)()).toEqual(['finished', false, true, false])
    expect(await flagsOf(deeds.embedded.sessionID)()).toEqual(['finished', false, true, false])
    expect(await flagsOf(deeds.silent.sessionID)()).toEqual(['finished', false, false, false])
    expect(await flagsOf(deeds.saved.sessionID)()).toEqual(['saved', false, false, true])
  })

  it('two background forks never see each other’s flags', async () => {
    const ground = await Ground.open()
    const one = await start(ground, `sleep 1\n${tool('ping_user', { text: 'one' })}\nsleep 3`)
    const two = await start(ground, `sleep 2\n${tool('report_updates', { message: 'two' })}\nsleep 4`)
    const flags = async () =>
      Promise.all(
        [one, two].map(async ({ sessionID }) => {
          const { pinged, reported } = await ground.sideFork(sessionID)
          return { pinged, reported }
        }),
      )
    await Promise.all([ground.held(1), ground.held(2)])
    ground.release(1)
    await ground.held(3)
    expect(await flags()).toEqual([
      { pinged: true, reported: false },
      { pinged: false, reported: false },
    ])
    ground.release(2)
    await ground.held(4)
    expect(await flags()).toEqual([
      { pinged: true, reported: false },
      { pinged: false, reported: true },
    ])
    ground.release(4)
    await ground.ended(two.sessionID)
    expect((await ground.sideFork(one.sessionID)).state).toBe('open')
    ground.release(3)
    expect(await ground.ended(one.sessionID)).toMatchObject({ pinged: true, reported: false })
  })

  it('a report never shows another fork’s text', async () => {
    const ground = await Ground.open()
    await ground.fork()
    const open = await ground.openFork()
    const report = (gate: number, message: string) =>
      start(ground, `sleep ${gate}\n${tool('report_updates', { message })}\nwords of run ${gate}`)
    const [one, two] = [await report(1, 'from one'), await report(2, 'from two')]
    await ground.say('words of the fork')
    ground.release(2)
    await ground.ended(two.sessionID)
    ground.release(1)
    await ground.ended(one.sessionID)
    await ground.exit('report', open.sessionID)
    const updates = await ground.bough.updates(ground.channelID)
    expect(updates.map(({ sessionID, text }) => [sessionID, text])).toEqual([
      [two.sessionID, 'from two'],
      [one.sessionID, 'from one'],
      [open.sessionID, expect.stringContaining('words of the fork')],
    ])
    expect(updates[2]?.text).not.toContain('run')
  })
})

describe('the tools that end forks, in a background fork', () => {
  it('report_updates queues the message and the run goes on; more than one is kept', async () => {
    const ground = await Ground.open()
    const report = (message: string) => tool('report_updates', { message })
    const { sessionID } = await start(ground, `${report('a')}\n${report('b')}\nsleep 1\nwrite on.txt: on`)
    await ground.held(1)
    expect([await ground.updates(), (await ground.sideFork(sessionID)).state]).toEqual([['a', 'b'], 'open'])
    ground.release(1)
    expect(await ground.ended(sessionID)).toMatchObject({ outcome: 'finished', reported: true })
    expect(exists(ground, 'on.txt')).toBe(true)
  })

  it('exit_fork and enter_fork return an error text', async () => {
    const ground = await Ground.open()
    const run = await ground.run(`${tool('exit_fork')}\n${tool('enter_fork', { topic: 'herons' })}`)
    expect(await ground.results(run.sessionID)).toEqual([
      'A background fork ends by itself, with this turn. There is nothing to exit.',
      'A background fork cannot open a fork. Use report_updates or ping_user instead.',
    ])
    expect([run.outcome, await ground.isForkOpen()]).toEqual(['finished', false])
  })

  it('a tool of a background fork never ends the interactive one', async () => {
    const ground = await Ground.open()
    await ground.fork('herons')
    const open = await ground.openFork()
    for (const name of ['exit_fork', 'save_context', 'enter_fork'])
      await ground.run(`${tool(name)}\n${tool('report_updates', { message: 'tall' })}`)
    expect(await ground.openFork()).toEqual(open)
    expect(ground.front.kind('ended').map(({ outcome }) => outcome)).toEqual(['saved'])
    await ground.exit('discard', open.sessionID)
    expect(await ground.sideFork(open.sessionID)).toMatchObject({ outcome: 'discarded', wish: null })
  })
})

describe('permissions of forks', () => {
  it('a fork starts with no grants of its own: it does not inherit what main was allowed for the session', async () => {
    const ground = await Ground.open()
    const asking = ground.say('run touch main.txt')
    await ground.bough.answer((await parked(ground)).id, { allow: true, scope: 'tool' })
    await asking
    await ground.say('run touch main2.txt')
    expect(exists(ground, 'main2.txt')).toBe(true)
    const { sessionID } = await start(ground, 'run touch run.txt')
    const asked = await parked(ground)
    expect(asked).toMatchObject({ sessionID, tool: 'run', detail: 'touch run.txt', state: 'asked' })
    await ground.bough.answer(asked.id, { allow: false })
    await ground.ended(sessionID)
    expect(exists(ground, 'run.txt')).toBe(false)
    await ground.fork()
    const inFork = ground.say('run touch fork.txt')
    const again = await parked(ground)
    expect(again.sessionID).toBe((await ground.openFork()).sessionID)
    await ground.bough.answer(again.id, { allow: false })
    await inFork
    expect(exists(ground, 'fork.txt')).toBe(false)
  })

  it('unless asked: then a run may do what main was allowed, and nothing that its own tools leave out', async () => {
    const ground = await Ground.open()
    const asking = ground.say('run touch main.txt')
    await ground.bough.answer((await parked(ground)).id, { allow: true, scope: 'tool' })
    await asking
    const options = { inheritGrants: true }
    const run = await ground.bough.runBackground(ground.channelID, 'run touch run.txt', options)
    await ground.ended(run.sessionID)
    expect(exists(ground, 'run.txt')).toBe(true)
    const narrow = await ground.bough.runBackground(ground.channelID, 'run touch narrow.txt', {
      ...options,
      allowedTools: ['read'],
    })
    await ground.ended(narrow.sessionID)
    expect(exists(ground, 'narrow.txt')).toBe(false)
    expect(await ground.bough.permissions()).toEqual([])
  })

  it('an agent cannot ask for that: a run that it starts has nothing of what main was allowed', async () => {
    const ground = await Ground.open()
    const asking = ground.say('run touch main.txt')
    await ground.bough.answer((await parked(ground)).id, { allow: true, scope: 'tool' })
    await asking
    await ground.say(tool('run_background', { prompt: 'run touch run.txt', inheritGrants: true }))
    const asked = await parked(ground)
    expect(asked.detail).toBe('touch run.txt')
    await ground.bough.answer(asked.id, { allow: false })
    await ground.ended(asked.sessionID)
    expect(exists(ground, 'run.txt')).toBe(false)
  })

  it('what is asked waits in a queue that every front end shows; it goes on when somebody allows it', async () => {
    const ground = await Ground.open()
    const other = await ground.another()
    const { sessionID } = await start(ground, 'run touch run.txt')
    const asked = await parked(ground)
    await until('the chat to be asked', () => ground.front.asked.length > 0)
    expect(ground.front.asked.map(({ permission }) => permission)).toEqual([asked])
    expect(await other.permissions()).toEqual([asked])
    expect(exists(ground, 'run.txt')).toBe(false)
    await other.answer(asked.id, { allow: true })
    expect(await ground.ended(sessionID)).toMatchObject({ outcome: 'finished' })
    expect(exists(ground, 'run.txt')).toBe(true)
    await until('the chat to hear of it', () => ground.front.asked[0]?.signal.aborted)
    expect([await ground.bough.permissions(), ground.front.asked.length]).toEqual([[], 1])
  })

  it('is asked in its own channel only', async () => {
    const ground = await Ground.open()
    const place = { frontEnd: 'test', key: 'elsewhere' }
    const elsewhere = await ground.bough.openChannel(place, { directory: ground.directory })
    const { sessionID } = await ground.bough.runBackground(elsewhere.id, 'run touch run.txt')
    const asked = await parked(ground)
    await ground.looked()
    expect(ground.front.asked).toEqual([])
    await ground.bough.answer(asked.id, { allow: false })
    await ground.ended(sessionID)
  })

  it('for at most its time limit, then it is denied, and the run goes on', async () => {
    const ground = await Ground.open({ config: { permissions: { timeout: 1 } } })
    const run = await ground.run('run touch run.txt\nwrite after.txt: on')
    expect(run).toMatchObject({ outcome: 'finished' })
    expect(await ground.results(run.sessionID)).toEqual([
      'Denied: nobody answered in time',
      expect.stringContaining('Wrote'),
    ])
    expect([exists(ground, 'run.txt'), exists(ground, 'after.txt')]).toEqual([false, true])
    expect(await ground.bough.permissions()).toEqual([])
    const [asked] = ground.front.asked
    expect(asked?.signal.aborted).toBe(true)
    await expect(ground.bough.answer(asked?.permission.id ?? 'per_', { allow: true })).rejects.toMatchObject({
      code: 'permission_answered',
    })
  })

  it('never hangs and is never silently allowed: a run whose time is up while it waits is over', async () => {
    const ground = await Ground.open()
    const { sessionID } = await start(ground, 'run touch run.txt', { timeout: 5 })
    const asked = await parked(ground)
    ground.pass(6)
    expect(await ground.ended(sessionID)).toMatchObject({ outcome: 'timed-out' })
    expect(await ground.bough.permissions()).toEqual([])
    await expect(ground.bough.answer(asked.id, { allow: true })).rejects.toMatchObject({
      code: 'permission_answered',
    })
    expect(exists(ground, 'run.txt')).toBe(false)
  })
})

describe('allowed_tools', () => {
  it('narrows by refusing the call; the list of tools stays as it was', async () => {
    const lists = new Map<SessionID, string>()
    const offline = createOfflineDriver({ pace: 0 })
    const driver: Driver = {
      ...offline,
      open(options) {
        lists.set(options.sessionID, options.tools.map(({ name }) => name).join())
        return offline.open(options)
      },
    }
    const ground = await Ground.open({ drivers: [driver], config: { permissions: { allow: ['run'] } } })
    await ground.say('hello')
    const { sessionID } = await start(ground, 'run touch run.txt\nread a.txt\nwrite a.txt: a', {
      allowedTools: ['read'],
    })
    await ground.ended(sessionID)
    const refusal = 'Denied: this run may not use that tool'
    expect(await ground.results(sessionID)).toEqual([refusal, expect.stringContaining('a.txt'), refusal])
    expect([exists(ground, 'run.txt'), exists(ground, 'a.txt')]).toEqual([false, false])
    expect(ground.front.asked).toEqual([])
    expect(lists.get(sessionID)).toBe(lists.get(await ground.main()))
    expect(lists.get(sessionID)).toContain('run_background')
  })

  it('can only narrow what the policy allows: what is denied stays denied, and what is asked is asked', async () => {
    const ground = await Ground.open({ config: { permissions: { deny: ['write'] } } })
    const { sessionID } = await start(ground, 'write a.txt: a\nrun touch run.txt', {
      allowedTools: ['run', 'write'],
    })
    await ground.bough.answer((await parked(ground)).id, { allow: false })
    await ground.ended(sessionID)
    expect(await ground.results(sessionID)).toEqual([
      'Denied: the configuration denies it',
      'Denied: the person denied it',
    ])
  })

  it('a nested run_background cannot widen', async () => {
    const ground = await Ground.open({ config: { permissions: { allow: ['run'] } } })
    const nested = (allowed?: readonly string[]) =>
      tool('run_background', {
        prompt: 'run touch widened.txt',
        ...(allowed && { allowed_tools: [...allowed] }),
      })
    const prompt = [nested(), nested(['run', 'read']), nested(['run']), nested(['read(a.txt)'])].join('\n')
    const { sessionID } = await start(ground, prompt, { allowedTools: ['read', 'run(git *)'] })
    await ground.ended(sessionID)
    const children = (await ground.sideForks()).filter((each) => each.sessionID !== sessionID).toReversed()
    expect(children.map(({ allowedTools }) => allowedTools)).toEqual([
      ['read', 'run(git *)'],
      ['read'],
      [],
      ['read(a.txt)'],
    ])
    for (const child of children) await ground.ended(child.sessionID)
    expect(exists(ground, 'widened.txt')).toBe(false)
  })

  it('a run that may not use add_routine cannot schedule, whatever the schedule would be allowed', async () => {
    const ground = await Ground.open()
    const { sessionID } = await start(
      ground,
      tool('add_routine', { cron: '* * * * *', prompt: 'x', allowed_tools: ['run'] }),
      { allowedTools: ['read'] },
    )
    await ground.ended(sessionID)
    expect(await ground.results(sessionID)).toEqual(['Not added: this run may not use that tool'])
    expect([await ground.bough.schedules(), ground.front.asked]).toEqual([[], []])
  })

  it.each([
    ['add_routine', { cron: '0 8 * * *' }],
    ['add_reminder', { in_minutes: 5 }],
  ] as const)('what a run plans with %s may no more than the run itself', async (name, when) => {
    const ground = await Ground.open()
    const own = ['read', name]
    for (const [wanted, allowed] of [
      [undefined, own],
      [['run', 'read'], ['read']],
      [['run'], []],
    ] as const) {
      const { sessionID } = await start(
        ground,
        tool(name, { ...when, prompt: 'the news', ...(wanted && { allowed_tools: [...wanted] }) }),
        { allowedTools: own },
      )
      await ground.bough.answer((await parked(ground)).id, { allow: true })
      await ground.ended(sessionID)
      expect((await ground.bough.schedules()).at(-1)?.allowedTools).toEqual(allowed)
    }
  })

  it('a run that may use only some tools plans nothing for main, which may use all', async () => {
    const ground = await Ground.open()
    const { sessionID } = await start(
      ground,
      tool('add_routine', { cron: '0 8 * * *', prompt: 'run touch a.txt', mode: 'main' }),
      { allowedTools: ['add_routine'] },
    )
    await ground.bough.answer((await parked(ground)).id, { allow: true })
    await ground.ended(sessionID)
    expect(await ground.bough.schedules()).toEqual([])
  })

  it('of a run that was saved do not bind the main conversation that it has become', async () => {
    const ground = await Ground.open()
    const { sessionID } = await start(ground, tool('save_context'), { allowedTools: ['read'] })
    await ground.ended(sessionID)
    expect(await ground.main()).toBe(sessionID)
    await ground.say(`write a.txt: a\n${tool('run_background', { prompt: 'write b.txt: b' })}`)
    await ground.ended((await ground.sideForks())[0]?.sessionID ?? 'ses_')
    expect([exists(ground, 'a.txt'), exists(ground, 'b.txt')]).toEqual([true, true])
  })

  it('bind a run that somebody ends to its last moment', async () => {
    const ground = await Ground.open()
    const { sessionID } = await start(
      ground,
      `sleep 1\nwrite a.txt: a\n${tool('run_background', { prompt: 'write b.txt: b' })}`,
      { allowedTools: ['read'] },
    )
    await ground.held(1)
    const store = await ground.store()
    await store.transaction((tx) => tx.sideForks.end(sessionID, 'discarded', null, ground.clock()))
    ground.release(1)
    await until('its turn to end', async () => (await store.turns.running(sessionID)) === null)
    const child = (await ground.bough.sideForks()).find((each) => each.sessionID !== sessionID)
    if (child) await ground.ended(child.sessionID)
    expect([exists(ground, 'a.txt'), exists(ground, 'b.txt')]).toEqual([false, false])
  })
})

describe('bough’s own tools need no approval', () => {
  it('of a background fork, except that a routine or reminder that an agent makes does', async () => {
    const ground = await Ground.open()
    const free = [
      tool('report_updates', { message: 'a' }),
      tool('ping_user', { text: 'b' }),
      tool('send_embed', { title: 'c', body: 'd', buttons: [{ label: 'e', prompt: 'f' }] }),
      tool('run_background', { prompt: 'look' }),
      tool('list_schedule'),
      tool('save_context'),
    ]
    const run = await ground.run(free.join('\n'))
    expect(run.outcome).toBe('saved')
    expect(ground.front.asked).toEqual([])
    for (const prompt of [
      tool('add_routine', { cron: '0 8 * * *', prompt: 'the news' }),
      tool('add_reminder', { in_minutes: 5, prompt: 'tea' }),
    ]) {
      const { sessionID } = await start(ground, prompt)
      const asked = await parked(ground)
      expect(asked).toMatchObject({ sessionID, tool: expect.stringMatching(/^add_/) })
      expect(await ground.bough.schedules()).toEqual([])
      await ground.bough.answer(asked.id, { allow: false })
      await ground.ended(sessionID)
      expect(await ground.results(sessionID)).toContain('Not added: the person denied it')
    }
    expect(await ground.bough.schedules()).toEqual([])
  })
})
