import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Keeper } from '../../../test/support/keeper.ts'
import { ScriptedAgent, says } from '../../../test/support/scripted-agent.ts'
import { until } from '../../../test/support/until.ts'
import type { Keeping } from '../../../test/workers/keeper-orders.ts'
import type { Bough } from '../../bough.ts'
import { startOf, thisProcess } from '../../process-identity.ts'
import { BoughError } from '../../tree/error.ts'
import { createIds, type SessionID } from '../../tree/ids.ts'
import { Awake } from './awake.ts'
import { embed, Ground, RecordingFrontEnd, tool } from './testing/ground.ts'

// A front end that hangs is given half a minute to show the rest of a turn: here, less.
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>()
  const setTimeout: typeof real.setTimeout = (delay, ...rest) =>
    real.setTimeout(delay === 30_000 ? 50 : delay, ...rest)
  return { ...real, setTimeout }
})

/** Processes that lose patience with each other soon. */
const quick = { patience: 300, lease: 400 }

const message = (text: string) => ({ kind: 'message', text }) as const

/** Real time: several processes cannot share a clock that moves when somebody looks. */
async function newGround(config?: { readonly forks: { readonly limit: number } }) {
  const ground = await Ground.open({ isUnattended: true, ...(config && { config }) })
  ground.time.now = Date.now()
  const bough = await ground.another({ clock: Date.now, ...quick })
  const start = (keeping: Partial<Keeping> = {}) => Keeper.start(ground.home, { ...quick, ...keeping })
  return { ground, bough, start }
}

const queued = (ground: Ground, count: number) =>
  until(`${count} in the queue`, async () => {
    const open = await (await ground.store()).inbox.open(ground.channelID)
    return open.length === count && open
  })

const prompted = (ground: Ground, id: SessionID, count = 1) =>
  until(`${count} prompts in ${id}`, async () => (await ground.prompts(id)).length === count)

/** What was left to be shown in the channel, as words. */
const words = async (ground: Ground): Promise<readonly string[]> =>
  (await ground.bough.sent(ground.channelID)).map(({ what }) => ('text' in what ? what.text : what.kind))

/** Waits until something that it was told comes back from a process: it is awake, and has looked around. */
const isBack = async (keeper: Keeper, ground: Ground, id: SessionID, text: string): Promise<void> => {
  await keeper.say(ground.channelID, message(text)).done()
  expect((await ground.prompts(id)).filter((each) => each === text)).toHaveLength(1)
}

describe('a process that is suspended', () => {
  it('does not block its channel with the turn that it runs, and does nothing twice when it wakes up', async () => {
    const { ground, bough, start } = await newGround()
    const main = await ground.main()
    const keeper = await start()
    const said = keeper.say(ground.channelID, message('sleep 60'))
    await prompted(ground, main)
    keeper.program.signal('SIGSTOP')
    await bough.say(ground.channelID, message('on'))
    expect(await ground.prompts(main)).toEqual(['sleep 60', 'on'])
    keeper.program.signal('SIGCONT')
    await said.done()
    await isBack(keeper, ground, main, 'awake')
    expect(await ground.prompts(main)).toEqual(['sleep 60', 'on', 'awake'])
    expect((await words(ground)).filter((text) => /cut off|interrupted/.test(text))).toEqual([
      expect.stringMatching(/^“sleep 60” was cut off/),
    ])
  })

  it('does not block its channel with what waits there: another does that, and it only hears of it', async () => {
    const { ground, bough, start } = await newGround()
    const main = await ground.main()
    const keeper = await start()
    const first = bough.say(ground.channelID, message('sleep 1'))
    await ground.held(1)
    const waited = keeper.say(ground.channelID, message('waited'))
    await queued(ground, 2)
    keeper.program.signal('SIGSTOP')
    ground.release(1)
    await first
    await bough.say(ground.channelID, message('on'))
    expect(await ground.prompts(main)).toEqual(['sleep 1', 'waited', 'on'])
    keeper.program.signal('SIGCONT')
    await waited.done()
    await isBack(keeper, ground, main, 'awake')
    expect(await ground.prompts(main)).toEqual(['sleep 1', 'waited', 'on', 'awake'])
    // An answer to each.
    expect(await words(ground)).toHaveLength(4)
  })

  it('does not block its channel with what it has begun, and waits for the session with', async () => {
    const { ground, bough, start } = await newGround()
    const main = await ground.main()
    const keeper = await start()
    const beside = await bough.send(main, 'sleep 1')
    await ground.held(1)
    const begun = keeper.say(ground.channelID, message('begun'))
    const store = await ground.store()
    await until('its place in line', async () => (await store.requests.of(main)).length > 0)
    expect(await store.inbox.open(ground.channelID)).toMatchObject([{ state: 'running', messageID: null }])
    keeper.program.signal('SIGSTOP')
    const on = bough.say(ground.channelID, message('on'))
    await until('it to change hands', async () => {
      const [item] = await store.inbox.open(ground.channelID)
      return item?.process.pid === process.pid
    })
    ground.release(1)
    await beside.ended
    await on
    expect(await ground.prompts(main)).toEqual(['sleep 1', 'begun', 'on'])
    keeper.program.signal('SIGCONT')
    await begun.done()
    await isBack(keeper, ground, main, 'awake')
    expect(await ground.prompts(main)).toEqual(['sleep 1', 'begun', 'on', 'awake'])
  })

  it('opens no fork, and gives none up, that another opens for it by the time it wakes up', async () => {
    const { ground, bough, start } = await newGround()
    const keeper = await start()
    const beside = await bough.send(await ground.main(), 'sleep 1')
    await ground.held(1)
    const entering = keeper.say(ground.channelID, { kind: 'fork', topic: 'herons' })
    const [item] = await queued(ground, 1)
    const store = await ground.store()
    const now = () => store.inbox.get(item?.id ?? 'inb_')
    await until('it to begin', async () => (await now())?.state === 'running')
    keeper.program.signal('SIGSTOP')
    const on = bough.say(ground.channelID, message('on'))
    await until('it to begin here', async () => {
      const { state, process: by } = (await now()) ?? {}
      return state === 'running' && by?.pid === process.pid
    })
    keeper.program.signal('SIGCONT')
    // It is awake, and waits for main as we do.
    const also = keeper.say(ground.channelID, message('also'))
    await queued(ground, 3)
    ground.release(1)
    await Promise.all([beside.ended, entering.done(), on, also.done()])
    const { sessionID } = await ground.openFork()
    expect(await now()).toMatchObject({ state: 'done', forkID: sessionID })
    expect(await ground.sideForks()).toHaveLength(1)
    expect(await ground.prompts(sessionID)).toEqual(['sleep 1', 'herons', 'on', 'also'])
  })

  it('does not end a background run that another has taken on by the time it wakes up', async () => {
    const { ground, bough, start } = await newGround({ forks: { limit: 1 } })
    await bough.keepTime()
    const keeper = await start({ keepsTime: true })
    await bough.runBackground(ground.channelID, 'sleep 1')
    await ground.held(1)
    const sessionID = await keeper.run(ground.channelID, 'count the herons')
    const beside = await bough.send(sessionID, 'sleep 2')
    await ground.held(2)
    ground.release(1)
    const store = await ground.store()
    await until('its place in line', async () => (await store.requests.of(sessionID)).length === 1)
    keeper.program.signal('SIGSTOP')
    await until('it to begin here', async () => {
      const { began, process: by } = await ground.sideFork(sessionID)
      return began !== null && by?.pid === process.pid
    })
    keeper.program.signal('SIGCONT')
    await isBack(keeper, ground, await ground.main(), 'awake')
    ground.release(2)
    await beside.ended
    expect(await ground.ended(sessionID)).toMatchObject({ outcome: 'finished' })
    expect(await ground.prompts(sessionID)).toEqual(['sleep 2', 'count the herons'])
  })

  it('keeps no place of the limit: its background run has failed, once, and others begin', async () => {
    const { ground, bough, start } = await newGround({ forks: { limit: 1 } })
    await bough.keepTime()
    const keeper = await start({ keepsTime: true })
    const sessionID = await keeper.run(ground.channelID, 'sleep 60')
    await prompted(ground, sessionID)
    const next = await bough.runBackground(ground.channelID, 'look')
    keeper.program.signal('SIGSTOP')
    const failed = await ground.ended(sessionID)
    expect(failed).toMatchObject({ outcome: 'failed' })
    expect(await ground.ended(next.sessionID)).toMatchObject({ outcome: 'finished' })
    keeper.program.signal('SIGCONT')
    await isBack(keeper, ground, await ground.main(), 'awake')
    expect(await ground.sideFork(sessionID)).toEqual(failed)
    expect((await words(ground)).filter((text) => text.includes('The background run'))).toHaveLength(1)
    expect(await ground.prompts(sessionID)).toEqual(['sleep 60'])
  })
})

describe('whether a process has left what it had', () => {
  // Somebody else's, who lives.
  const theirs = { ...thisProcess(), pid: process.ppid, started: startOf(process.ppid) ?? '' }

  it('is told by how long it gave no sign of life while we watched, and by nobody’s clock', async () => {
    const store = await (await Ground.open({ isUnattended: true })).store()
    const real = performance.now.bind(performance)
    let passed = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => real() + passed)
    onTestFinished(() => clock.mockRestore())
    const awake = new Awake(store, thisProcess(), 60_000)
    const hasLeft = () => awake.hasLeft(theirs)
    const beat = () => store.transaction((tx) => tx.processes.beatOnce(theirs))
    for (const _ of [1, 2]) {
      expect(await hasLeft()).toBe(false)
      passed += 50_000
      expect(await hasLeft()).toBe(false)
      passed += 20_000
      expect(await hasLeft()).toBe(true)
      // It wakes up.
      await beat()
    }
    for (const _ of [1, 2, 3]) {
      expect(await hasLeft()).toBe(false)
      passed += 50_000
      await beat()
    }
    passed += 100_000
    expect(await awake.hasLeft(thisProcess())).toBe(false)
    expect(await awake.hasLeft({ ...theirs, started: 'long ago' })).toBe(true)
  })

  it('is shown by whoever has something in hand, for as long as it takes', async () => {
    const store = await (await Ground.open({ isUnattended: true })).store()
    const awake = new Awake(store, theirs, 50)
    expect(await store.processes.beat(theirs)).toBeNull()
    const beats = (count: number) => async () => ((await store.processes.beat(theirs)) ?? 0) >= count
    await awake.during(() => until('signs of life', beats(4)))
  })
})

describe('a process that was killed after the end of a turn and before what it did was noted', () => {
  it('leaves it done, and the answer is there for whoever shows the channel', async () => {
    const { ground, start } = await newGround()
    const keeper = await start({ attends: ground.channelID, fails: 'show' })
    keeper.say(ground.channelID, message('herons'))
    await keeper.program.hears('the end of the turn', (report) => report.kind === 'over')
    const [item] = await queued(ground, 1)
    expect(item?.state).toBe('running')
    await keeper.program.kill()
    await ground.attend()
    await queued(ground, 0)
    expect(await (await ground.store()).inbox.get(item?.id ?? 'inb_')).toMatchObject({
      ...{ state: 'done', reason: null },
    })
    const answer = await until('the answer', () => ground.front.kind('message')[0])
    expect(answer.text).toContain('herons')
    expect(ground.front.kind('notice')).toEqual([])
    expect(await ground.prompts(await ground.main())).toEqual(['herons'])
  })

  it('leaves the answer there also after many calls', async () => {
    const { ground, start } = await newGround()
    const keeper = await start({ attends: ground.channelID, fails: 'show' })
    keeper.say(ground.channelID, message('read a.txt\n'.repeat(51)))
    await keeper.program.hears('the end of the turn', (report) => report.kind === 'over')
    await keeper.program.kill()
    await ground.attend()
    const answer = await until('the answer', () => ground.front.kind('message')[0])
    expect(answer.text).toContain('a.txt')
  })
})

describe('a process that only says something', () => {
  it('opens the fork that its agent asked for before it is done, and the next does not hang', async () => {
    const ground = await Ground.open({ isUnattended: true })
    await ground.say(tool('enter_fork', { topic: 'herons' }))
    const { sessionID } = await ground.openFork()
    expect(await ground.prompts(sessionID)).toEqual([expect.stringContaining('enter_fork'), 'herons'])
    await ground.say('on')
    expect((await ground.prompts(sessionID)).at(-1)).toBe('on')
    await ground.exit('discard')
    expect(await (await ground.store()).inbox.open(ground.channelID)).toEqual([])
  })
})

describe('what is ours and nobody works on', () => {
  it.each(['running', 'waiting'] as const)('is taken up where somebody keeps time (%s)', async (state) => {
    const ground = await Ground.open({ isUnattended: true })
    const id = await leave(ground, state)
    // What another process keeps time for is ours to do all the same.
    await Keeper.start(ground.home, { keepsTime: true, clock: null })
    await ground.bough.keepTime()
    const store = await ground.store()
    await until('it to be done', async () => (await store.inbox.get(id))?.state === 'done')
    expect(await ground.prompts(await ground.main())).toEqual(['left lying'])
  })

  it('is taken up by what comes after it, too', async () => {
    const ground = await Ground.open({ isUnattended: true })
    await leave(ground, 'running')
    await ground.say('on')
    expect(await ground.prompts(await ground.main())).toEqual(['left lying', 'on'])
  })
})

/** Something of this process that it does not know of. */
async function leave(ground: Ground, state: 'running' | 'waiting') {
  const ids = createIds(ground.clock, (length) => crypto.getRandomValues(new Uint8Array(length)))
  const id = ids.inbox()
  const store = await ground.store()
  await store.transaction((tx) =>
    tx.inbox.insert({
      ...{
        id,
        channelID: ground.channelID,
        what: { ...message('left lying'), externalID: null, replyTo: null },
        state,
      },
      ...{ isUrgent: false, isForMain: false, process: thisProcess(), forkID: null, messageID: null },
      ...{ reason: null, created: ground.clock() },
    }),
  )
  return id
}

describe('a front end', () => {
  it('that cannot show something leaves it to another, though its process lives', async () => {
    const { ground, start } = await newGround()
    const keeper = await start({ attends: ground.channelID, fails: 'send' })
    await keeper.run(ground.channelID, tool('ping_user', { text: 'The heron is here.' }))
    await keeper.program.hears('that it was to show it', (report) => report.kind === 'sent')
    await ground.attend()
    await until('the message', () => ground.front.kind('message')[0])
    expect(ground.front.kind('message')).toEqual([{ kind: 'message', text: 'The heron is here.' }])
    const [item] = await ground.bough.sent(ground.channelID)
    expect(item).toMatchObject({ state: 'sent', externalID: 'm1' })
  })

  it('that never ends to show a turn does not block the channel for ever', async () => {
    const ground = await Ground.open()
    let hangs = 1
    const { show } = ground.front
    ground.front.show = (...shown) => (hangs-- > 0 ? new Promise(() => {}) : show.apply(ground.front, shown))
    await ground.say('herons')
    await ground.say('on')
    expect(await ground.prompts(await ground.main())).toEqual(['herons', 'on'])
    expect(ground.front.shown.map(({ turn }) => turn.prompt.text)).toEqual(['on'])
  })

  it('that cannot show a turn keeps nobody from the next', async () => {
    const ground = await Ground.open()
    ground.front.show = () => Promise.reject(new Error('The chat is down.'))
    await ground.say('herons')
    await ground.say('on')
    expect(await ground.prompts(await ground.main())).toEqual(['herons', 'on'])
  })
})

describe('a permission', () => {
  it('asked in a turn of main that another process runs is given to the chat', async () => {
    const { ground, start } = await newGround()
    const keeper = await start()
    await ground.attend()
    const said = keeper.say(ground.channelID, message('run touch a.txt'))
    const { permission } = await until('the question', () => ground.front.asked[0])
    expect(permission).toMatchObject({ sessionID: await ground.main(), detail: 'touch a.txt' })
    await ground.bough.answer(permission.id, { allow: false })
    await said.done()
    await until('the chat to hear of it', () => ground.front.asked[0]?.signal.aborted)
    expect(ground.front.asked).toHaveLength(1)
  })

  it('asked in a turn that is shown here is asked there, and not once more', async () => {
    const ground = await Ground.open()
    const announced: string[] = []
    const { show } = ground.front
    ground.front.show = async (turn, item) => {
      const watching = (async () => {
        for await (const event of turn.events)
          if (event.type === 'permission') announced.push(event.permission.id)
      })()
      await Promise.all([watching, show.call(ground.front, turn, item)])
    }
    const said = ground.say('run touch a.txt')
    const asked = await until('the question', async () => (await ground.bough.permissions())[0])
    // The chat hears of every commit.
    await ground.run('look')
    await ground.looks()
    expect([announced, ground.front.asked]).toEqual([[asked.id], []])
    await ground.bough.answer(asked.id, { allow: false })
    await said
  })
})

describe('a channel whose main is deleted', () => {
  it('is gone, with its open forks, its runs, its updates and its schedules; other channels go on', async () => {
    const ground = await Ground.open({ config: { forks: { limit: 1 } } })
    const { bough, channelID } = ground
    const store = await ground.store()
    const place = { frontEnd: 'test', key: 'elsewhere' }
    const elsewhere = await bough.openChannel(place, { directory: ground.directory })
    await ground.say(embed('count them'))
    await ground.report('three herons')
    const running = await bough.runBackground(channelID, 'sleep 1\nwrite a.txt: a')
    await ground.held(1)
    const waiting = await bough.runBackground(channelID, 'look')
    await ground.fork('herons')
    const open = await ground.openFork()
    await bough.addRoutine(channelID, { cron: '* * * * *', prompt: 'every minute' })
    await bough.addReminder(channelID, { at: ground.time.now + 90_000, prompt: 'once', mode: 'main' })
    const theirs = await bough.addReminder(elsewhere.id, { at: ground.time.now + 90_000, prompt: 'theirs' })
    const clicked = ground.click(await ground.button()).catch(() => {})
    await queued(ground, 1)

    await bough.remove(await ground.main())
    await clicked
    expect(await bough.channels()).toEqual([elsewhere])
    expect(await bough.schedules()).toEqual([theirs])
    for (const { sessionID } of [running, waiting, open])
      expect(await ground.sideFork(sessionID)).toMatchObject({
        ...{ state: 'ended', outcome: 'discarded', reason: 'The main conversation was deleted.' },
      })
    // Nobody goes on with what was under way.
    expect(await store.turns.running(running.sessionID)).toBeNull()
    ground.release(1)
    // No run keeps a place of the limit, and time goes on for others.
    ground.pass(30)
    const run = await until('their reminder', async () => {
      const [fork] = await bough.sideForks({ channelID: elsewhere.id })
      return fork?.state === 'ended' && fork
    })
    expect(run).toMatchObject({ prompt: 'theirs', outcome: 'finished' })
    ground.pass(30)
    await ground.looks()
    expect([await store.inbox.busy(), await store.outbox.newest(channelID, 50)]).toEqual([[], []])
    expect(await store.updates.waiting(channelID)).toEqual([])
    expect(await bough.pending()).toBe(0)
    expect(await bough.sideForks({ channelID })).toHaveLength(4)
    expect(existsSync(join(ground.directory, 'a.txt'))).toBe(false)
  })
})

/** A turn in main beside its channel, which holds the session until it is let go on. */
async function busyMain(ground: Ground) {
  const beside = await ground.bough.send(await ground.main(), 'sleep 1')
  await ground.held(1)
  return async () => {
    ground.release(1)
    await beside.ended
  }
}

/** Main moves on, while something waits for the session that was main. */
async function moveMain(ground: Ground): Promise<SessionID> {
  const [item] = await until('it to wait for the session', async () => {
    const open = await (await ground.store()).inbox.open(ground.channelID)
    return open[0]?.state === 'running' && open
  })
  expect(item?.messageID).toBeNull()
  const { sessionID } = await ground.run(tool('save_context'))
  expect(await ground.main()).toBe(sessionID)
  return sessionID
}

describe('a fork', () => {
  it('that waited for a session that is main no more begins at the new one', async () => {
    const ground = await Ground.open()
    const goOn = await busyMain(ground)
    const forking = ground.fork()
    const main = await moveMain(ground)
    await goOn()
    await forking
    const { sessionID } = await ground.openFork()
    expect(await ground.bough.session(sessionID)).toMatchObject({ parentID: main })
  })
})

describe('what is for main', () => {
  it('and waited for a session that is main no more goes to the new one: a schedule', async () => {
    const ground = await Ground.open()
    const old = await ground.main()
    const { id } = await ground.bough.addReminder(ground.channelID, {
      ...{ at: ground.time.now + 3_600_000, prompt: 'tea', mode: 'main' },
    })
    const goOn = await busyMain(ground)
    await ground.bough.runSchedule(id)
    const main = await moveMain(ground)
    await goOn()
    await ground.looked()
    expect([(await ground.prompts(main)).at(-1), await ground.prompts(old)]).toEqual(['tea', ['sleep 1']])
  })

  it('and waited for a session that is main no more goes to the new one: a click', async () => {
    const ground = await Ground.open()
    const old = await ground.main()
    await ground.say(embed('count them'))
    const button = await ground.button()
    const goOn = await busyMain(ground)
    const clicking = ground.click(button)
    const main = await moveMain(ground)
    await goOn()
    await clicking
    expect(await ground.contextOfLast(main)).toContain('[button] count them')
    expect((await ground.contexts(old)).filter((each) => each.includes('[button]'))).toEqual([])
  })

  it('and cannot run leaves a notice in the channel', async () => {
    const ground = await Ground.open()
    const { id } = await ground.bough.addReminder(ground.channelID, {
      ...{ at: ground.time.now + 3_600_000, prompt: 'tea', mode: 'main' },
    })
    await rm(ground.directory, { recursive: true })
    await ground.bough.runSchedule(id)
    const notice = await until('the notice', () => ground.front.kind('notice')[0])
    expect(notice.text).toMatch(/^“tea” could not be done: .*/)
    expect(notice.text).toContain(ground.directory)
    await ground.looked()
    expect(ground.front.kind('notice')).toHaveLength(1)
  })
})

describe('two channels with one main', () => {
  it('ping_user and enter_fork act in the one in which their turn began', async () => {
    const ground = await Ground.open()
    const mainID = await ground.main()
    const second = await ground.bough.openChannel({ frontEnd: 'test', key: 'second', mainID })
    expect(second.id).not.toBe(ground.channelID)
    const front = new RecordingFrontEnd()
    await ground.bough.attend(second.id, front)
    const say = (text: string) => ground.bough.say(second.id, message(text))
    await say(tool('ping_user', { text: 'to the second' }))
    await ground.say(tool('ping_user', { text: 'to the first' }))
    await say(tool('enter_fork', { topic: 'herons' }))
    await ground.looked()
    expect(front.kind('message')).toEqual([{ kind: 'message', text: 'to the second' }])
    expect(ground.front.kind('message')).toEqual([{ kind: 'message', text: 'to the first' }])
    expect(await ground.isForkOpen()).toBe(false)
    const { openForkID } = await ground.bough.channel(second.id)
    expect(await ground.sideFork(openForkID ?? 'ses_')).toMatchObject({
      ...{ channelID: second.id, topic: 'herons', origin: 'agent' },
    })
    expect([ground.front.kind('entered'), front.kind('entered')]).toMatchObject([[], [{ topic: 'herons' }]])
  })
})

/** An agent with a history of its own: a fork of its sessions is opened before anything is said there. */
async function slowToOpen() {
  const agent = new ScriptedAgent('scripted', () => says('Fine.'))
  const ground = await Ground.open({ drivers: [agent.driver] })
  await ground.say('hello')
  const opening = async (work: () => Promise<unknown>) => {
    const before = agent.starts.length
    agent.hangs = true
    await work()
    await until('the agent to be opened', () => agent.starts.length > before)
  }
  return { agent, ground, opening }
}

describe('the question whether somebody is still there', () => {
  it('that a process prepares when it is closed was not asked: another asks it', async () => {
    const { agent, ground, opening } = await slowToOpen()
    await ground.fork()
    const { sessionID } = await ground.openFork()
    await opening(async () => ground.pass(11))
    await ground.close()
    agent.hangs = false
    await ground.reopen({ attend: false })
    expect(await ground.openFork()).toMatchObject({ promptedAt: null })
    expect(await ground.prompts(sessionID)).toEqual(['hello'])
    await ground.attend()
    await until('the question', async () => (await ground.openFork()).promptedAt)
    await ground.looked()
    expect((await ground.contexts(sessionID)).filter((each) => each.includes('[fork-timeout]'))).toHaveLength(
      1,
    )
  })

  it('is not asked where somebody talks, beside the channel, while it waits for the session', async () => {
    const { agent, ground } = await slowToOpen()
    await ground.fork()
    const { sessionID } = await ground.openFork()
    await ground.say('in the fork')
    await talkWhileItWaits(ground, sessionID)
    expect(await ground.openFork()).toMatchObject({ sessionID, promptedAt: null })
    expect(agent.told.some((prompt) => prompt.includes('[fork-timeout]'))).toBe(false)
    expect((await ground.prompts(sessionID)).at(-1)).toBe('still here')
  })

  it.each([
    ['does not count as asked', 0],
    ['does not end the fork', 1],
  ])('and that fails where somebody has talked meanwhile %s', async (_, asked) => {
    let isBroken = false
    const agent = new ScriptedAgent('scripted', (prompt) => {
      isBroken ||= prompt.includes('still here')
      return says('Fine.')
    })
    const { native } = agent.driver
    if (!native) throw new Error('it has a history')
    const version: typeof native.version = async (id) => {
      if (isBroken) throw new BoughError('agent_failed', 'It is broken.')
      return native.version(id)
    }
    const ground = await Ground.open({ drivers: [{ ...agent.driver, native: { ...native, version } }] })
    await ground.fork()
    const { sessionID } = await ground.openFork()
    await ground.say('in the fork')
    if (asked > 0) {
      ground.pass(11)
      await until('the question', async () => (await ground.openFork()).promptedAt)
      await ground.looked()
    }
    await talkWhileItWaits(ground, sessionID)
    expect(await ground.openFork()).toMatchObject({ sessionID, promptedAt: null })
    expect(await ground.updates()).toEqual([])
  })
})

/** Somebody talks beside the channel, while the question of the idle timer waits for the session. */
async function talkWhileItWaits(ground: Ground, sessionID: SessionID): Promise<void> {
  const store = await ground.store()
  const inLine = (count: number) =>
    until(`${count} in line`, async () => (await store.requests.of(sessionID)).length === count)
  const [lender, beside] = [await ground.another(), await ground.another()]
  let turn: ReturnType<Bough['send']> | undefined
  await lender.lend(sessionID, async () => {
    turn = beside.send(sessionID, 'still here')
    await inLine(1)
    ground.pass(11)
    // Whoever waits shows that it is still there: otherwise it would lose its place to the question.
    await until('it to keep its place', async () => {
      const [first] = await store.requests.of(sessionID)
      return first && first.leaseUntil > ground.time.now
    })
    await inLine(2)
  })
  await (await turn)?.ended
  await ground.looked()
}

describe('a background run', () => {
  it('that another process ends while its agent is being prepared never sends its prompt', async () => {
    const { agent, ground } = await slowToOpen()
    const gate = Promise.withResolvers<void>()
    const { open } = agent.driver
    Object.assign(agent.driver, {
      open: async (...options: Parameters<typeof open>) => {
        agent.starts.push(options[0].start)
        await gate.promise
        return open(...options)
      },
    })
    const before = agent.starts.length
    const { sessionID } = await ground.bough.runBackground(ground.channelID, 'count the herons')
    await until('its agent to be opened', () => agent.starts.length > before)
    const other = await ground.another()
    expect(await other.exit(sessionID, { action: 'discard' })).toMatchObject({ outcome: 'discarded' })
    gate.resolve()
    const store = await ground.store()
    await until('it to let go', async () => (await store.owners.get(sessionID)) === null)
    await ground.looked()
    expect(agent.told.some((prompt) => prompt.includes('count the herons'))).toBe(false)
    expect(await ground.prompts(sessionID)).toEqual(['hello'])
    expect(await ground.sideFork(sessionID)).toMatchObject({ outcome: 'discarded', promptID: null })
    expect(ground.front.kind('notice')).toEqual([])
  })

  it('that waits, and in whose session somebody talks meanwhile, still does what it was asked', async () => {
    const ground = await Ground.open({ isUnattended: true })
    const { sessionID } = await ground.bough.runBackground(ground.channelID, 'count the herons')
    await (await ground.bough.send(sessionID, 'hello')).ended
    await ground.bough.keepTime()
    expect(await ground.ended(sessionID)).toMatchObject({ outcome: 'finished' })
    expect(await ground.prompts(sessionID)).toEqual(['hello', 'count the herons'])
  })
})
