import { describe, expect, it } from 'vitest'
import { Keeper } from '../../../test/support/keeper.ts'
import { SharedClock } from '../../../test/support/shared-clock.ts'
import { until } from '../../../test/support/until.ts'
import type { SessionID } from '../../tree/ids.ts'
import type { InboxItem } from '../../tree/inbox.ts'
import { Ground, minute, tool } from './testing/ground.ts'

const textsOf = async (ground: Ground, id: SessionID): Promise<readonly string[]> =>
  (await ground.messages(id)).filter(({ role }) => role === 'user').map(({ text }) => text)

/** What is being done or waits, as soon as there is so much of it. */
const queued = (ground: Ground, count: number): Promise<readonly InboxItem[]> =>
  until(`${count} in the queue`, async () => {
    const open = await (await ground.store()).inbox.open(ground.channelID)
    return open.length === count && open
  })

const message = (text: string) => ({ kind: 'message', text }) as const

/** As a prompt is put into a queue from another process. */
const putOff = async (keeper: Keeper, ground: Ground, text: string, count: number) => {
  const said = keeper.say(ground.channelID, message(text))
  await queued(ground, count)
  return said
}

describe('a session has at most one running turn', () => {
  it('also when its channel and somebody beside it talk in it at once', async () => {
    const ground = await Ground.open()
    const main = await ground.main()
    const saying = ground.say('first\nsleep 1')
    await ground.held(1)
    const beside = ground.bough.send(main, 'beside')
    const other = await ground.another()
    const elsewhere = other.send(main, 'elsewhere')
    expect(await textsOf(ground, main)).toEqual(['first\nsleep 1'])
    ground.release(1)
    await saying
    for (const turn of await Promise.all([beside, elsewhere]))
      expect(await turn.ended).toMatchObject({ outcome: 'finished' })
    const roles = (await ground.messages(main)).map(({ role }) => role)
    expect(roles).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant'])
  })
})

describe('main and the open interactive fork of a channel share one queue', () => {
  it('messages are answered in the order they came, none is lost', async () => {
    const ground = await Ground.open()
    const first = ground.say('sleep 1')
    await ground.held(1)
    const rest: Promise<unknown>[] = []
    for (const [index, text] of ['a', 'b', 'c', 'd'].entries()) {
      rest.push(ground.say(text))
      await queued(ground, index + 2)
    }
    ground.release(1)
    await Promise.all([first, ...rest])
    expect(await textsOf(ground, await ground.main())).toEqual(['sleep 1', 'a', 'b', 'c', 'd'])
    expect(ground.front.shown.map(({ turn }) => turn.prompt.text)).toEqual(['sleep 1', 'a', 'b', 'c', 'd'])
  })

  it('what is typed while a turn of main runs waits, /fork too; state is read when their turn comes', async () => {
    const ground = await Ground.open()
    const main = await ground.main()
    const first = ground.say('sleep 1')
    await ground.held(1)
    const forking = ground.fork('herons')
    await queued(ground, 2)
    const saying = ground.say('in the fork')
    await queued(ground, 3)
    expect(await ground.isForkOpen()).toBe(false)
    ground.release(1)
    await Promise.all([first, forking, saying])
    const { sessionID } = await ground.openFork()
    expect(await textsOf(ground, main)).toEqual(['sleep 1'])
    expect(await textsOf(ground, sessionID)).toEqual(['sleep 1', 'herons', 'in the fork'])
  })

  it.each(['exit', 'tool'])('a message queued while a fork ends goes to main (%s)', async (how) => {
    const ground = await Ground.open()
    const main = await ground.main()
    await ground.fork()
    const { sessionID } = await ground.openFork()
    const first = ground.say(how === 'tool' ? `sleep 1\n${tool('exit_fork')}` : 'sleep 1')
    await ground.held(1)
    const rest: Promise<unknown>[] = []
    if (how === 'exit') {
      rest.push(ground.exit('discard', sessionID))
      await queued(ground, 2)
    }
    rest.push(ground.say('for main'))
    await queued(ground, rest.length + 1)
    ground.release(1)
    await Promise.all([first, ...rest])
    expect(await textsOf(ground, main)).toEqual(['for main'])
    expect(await textsOf(ground, sessionID)).toHaveLength(1)
    expect(await ground.sideFork(sessionID)).toMatchObject({ outcome: 'discarded' })
  })

  it('a message queued while a fork is saved goes to what is main then', async () => {
    const ground = await Ground.open()
    await ground.fork()
    const { sessionID } = await ground.openFork()
    const first = ground.say(`sleep 1\n${tool('save_context')}`)
    await ground.held(1)
    const saying = ground.say('on')
    await queued(ground, 2)
    ground.release(1)
    await Promise.all([first, saying])
    expect([await ground.main(), (await textsOf(ground, sessionID)).at(-1)]).toEqual([sessionID, 'on'])
  })

  it('what was withdrawn while it waited is not said', async () => {
    const ground = await Ground.open()
    const first = ground.say('sleep 1')
    await ground.held(1)
    const stop = new AbortController()
    const withdrawn = ground.doing(message('never mind'), { signal: stop.signal })
    const refused = expect(withdrawn).rejects.toThrow()
    await queued(ground, 2)
    stop.abort()
    await refused
    ground.release(1)
    await first
    await ground.say('on')
    expect(await textsOf(ground, await ground.main())).toEqual(['sleep 1', 'on'])
  })

  it('what waits when bough is closed is answered when it comes back, in its order', async () => {
    const ground = await Ground.open()
    const first = ground.say('sleep 1').catch(() => {})
    await ground.held(1)
    const rest = ['a', 'b'].map((text) => ground.say(text).catch(() => {}))
    await queued(ground, 3)
    await ground.close()
    await Promise.all([first, ...rest])
    await ground.reopen()
    await ground.say('c')
    expect(await textsOf(ground, await ground.main())).toEqual(['sleep 1', 'a', 'b', 'c'])
  })

  it('background forks run outside it', async () => {
    const ground = await Ground.open()
    const first = ground.say('sleep 1')
    await ground.held(1)
    expect(await ground.run('look')).toMatchObject({ outcome: 'finished' })
    const held = await ground.bough.runBackground(ground.channelID, 'sleep 2')
    await ground.held(2)
    ground.release(1)
    await first
    await ground.say('on')
    expect((await ground.sideFork(held.sessionID)).state).toBe('open')
    ground.release(2)
    await ground.ended(held.sessionID)
  })

  it('another channel has a queue of its own', async () => {
    const ground = await Ground.open()
    const first = ground.say('sleep 1')
    await ground.held(1)
    const elsewhere = await ground.bough.openChannel(
      { frontEnd: 'test', key: 'elsewhere' },
      { directory: ground.directory },
    )
    await ground.bough.say(elsewhere.id, message('hello'))
    expect(await textsOf(ground, elsewhere.mainID)).toEqual(['hello'])
    ground.release(1)
    await first
  })
})

describe('across processes', () => {
  /** Real time: several processes cannot share a clock that moves when somebody looks. */
  async function newGround(options: { attends?: boolean } = {}) {
    const ground = await Ground.open({ isUnattended: true })
    ground.time.now = Date.now()
    const keepers = await Promise.all([
      Keeper.start(ground.home, { attends: options.attends ? ground.channelID : null }),
      Keeper.start(ground.home),
    ])
    return { ground, one: keepers[0], two: keepers[1] }
  }

  it('messages are answered in the order they came, whichever process they came to', async () => {
    const { ground, one, two } = await newGround()
    const said = [await putOff(one, ground, 'sleep 1.5', 1)]
    for (const [index, text] of ['a', 'b', 'c', 'd', 'e', 'f'].entries())
      said.push(await putOff(index % 2 === 0 ? two : one, ground, text, index + 2))
    for (const each of said) await each.done()
    expect(await textsOf(ground, await ground.main())).toEqual(['sleep 1.5', 'a', 'b', 'c', 'd', 'e', 'f'])
  })

  it('nothing is lost when the process that had it is gone: what waited there is answered by another', async () => {
    const { ground, one, two } = await newGround({ attends: true })
    await putOff(one, ground, 'sleep 60', 1)
    await until('its turn', async () => (await textsOf(ground, await ground.main())).length === 1)
    await putOff(one, ground, 'waited in one', 2)
    const last = await putOff(two, ground, 'waited in two', 3)
    await one.program.kill()
    await last.done()
    expect(await textsOf(ground, await ground.main())).toEqual(['sleep 60', 'waited in one', 'waited in two'])
    // What was under way is never done again by itself, and the person is told.
    const three = await Keeper.start(ground.home, { attends: ground.channelID })
    const notice = await three.program.hears(
      'the notice',
      (report): report is Extract<typeof report, { kind: 'sent' }> =>
        report.kind === 'sent' && report.what.kind === 'notice',
    )
    expect(notice.what).toMatchObject({ text: expect.stringMatching(/^“sleep 60” was cut off: .*is gone/) })
    expect(await (await ground.store()).inbox.open(ground.channelID)).toEqual([])
  })

  it('what a process left is done by whoever keeps time, also where nobody says anything any more', async () => {
    const { ground, one } = await newGround()
    await putOff(one, ground, 'sleep 60', 1)
    await until('its turn', async () => (await textsOf(ground, await ground.main())).length === 1)
    await putOff(one, ground, 'waited', 2)
    await one.program.kill()
    await ground.attend()
    await until('it to be said', async () => (await textsOf(ground, await ground.main())).includes('waited'))
    await queued(ground, 0)
    expect(await textsOf(ground, await ground.main())).toEqual(['sleep 60', 'waited'])
    expect(ground.front.shown.map(({ turn }) => turn.prompt.text)).toEqual(['waited'])
  })

  it('a background run whose process is gone has failed, is told once, and can be answered', async () => {
    const { ground } = await newGround()
    const keeper = await Keeper.start(ground.home, { keepsTime: true })
    const sessionID = await keeper.run(ground.channelID, 'sleep 60')
    await until('its turn', async () => (await textsOf(ground, sessionID)).length === 1)
    await keeper.program.kill()
    await ground.attend()
    expect(await ground.ended(sessionID)).toMatchObject({ outcome: 'failed' })
    await until('the notice', () => ground.front.sent.length > 0)
    await ground.looked()
    expect(ground.front.kind('notice')).toHaveLength(1)
    await ground.reply(ground.front.sent[0]?.externalID ?? '', 'go on')
    expect((await ground.bough.session((await ground.openFork()).sessionID)).parentID).toBe(sessionID)
  })

  it('an open interactive fork is still open after its process is gone', async () => {
    const { ground, one } = await newGround()
    await one.say(ground.channelID, { kind: 'fork', topic: 'herons' }).done()
    const fork = await ground.openFork()
    await one.program.kill()
    await ground.attend()
    expect(await ground.openFork()).toEqual(fork)
    await ground.say('on')
    expect(await textsOf(ground, fork.sessionID)).toEqual(['herons', 'on'])
  })
})

describe('timers and schedules', () => {
  it('fire in one process only, and move to another when it is gone', async () => {
    const ground = await Ground.open({ isUnattended: true })
    const clock = new SharedClock(ground.directory, ground.time.now)
    const keeping = { clock: clock.file, keepsTime: true }
    const one = await Keeper.start(ground.home, keeping)
    const two = await Keeper.start(ground.home, keeping)
    const [first, second] = [one.program.pid, two.program.pid]
    const store = await ground.store()
    const dutyPid = async () => (await store.duties.get('time'))?.process.pid
    expect(await dutyPid()).toBe(first)

    /** Three reminders, one after the other; which processes ran them. */
    const fired = async (name: string): Promise<readonly (number | undefined)[]> => {
      const at = clock.now + 10_000
      ground.time.now = clock.now
      for (const each of ['a', 'b', 'c'])
        await ground.bough.addReminder(ground.channelID, { at, prompt: `${name} ${each}` })
      clock.set(at + 1)
      const runs = await until(`the reminders ${name} to run`, async () => {
        const all = (await ground.sideForks()).filter(({ prompt }) => prompt?.startsWith(name))
        return all.length === 3 && all.every(({ state }) => state === 'ended') && all
      })
      return runs.map(({ process }) => process?.pid)
    }

    expect(await fired('before')).toEqual([first, first, first])
    expect(await dutyPid()).toBe(first)
    await one.program.kill()
    await until('the other to keep time', async () => (await dutyPid()) === second)
    expect(await fired('after')).toEqual([second, second, second])
    expect(await ground.sideForks()).toHaveLength(6)
  })

  it('the idle timer asks from one process only, and ends the fork from another when that is gone', async () => {
    const ground = await Ground.open({ isUnattended: true })
    await ground.fork()
    const { sessionID } = await ground.openFork()
    // The one that opened it must be gone: it would hold the session.
    await ground.close()
    const clock = new SharedClock(ground.directory, ground.time.now)
    const keeping = { clock: clock.file, keepsTime: true }
    const one = await Keeper.start(ground.home, keeping)
    await Keeper.start(ground.home, keeping)
    const store = await ground.store()
    const fork = () => store.sideForks.get(sessionID)
    const asked = async (): Promise<number> => {
      const messages = await store.messages.range({ sessionID, from: 1, to: 100 })
      // The agent quotes it.
      const told = messages.filter(({ role }) => role === 'user').map(({ parts }) => JSON.stringify(parts))
      return told.filter((each) => each.includes('[fork-timeout]')).length
    }
    clock.set(clock.now + 11 * minute)
    await until('the question', async () => (await fork())?.promptedAt !== null && (await asked()) > 0)
    await one.program.kill()
    clock.set(clock.now + 11 * minute)
    await until('the end', async () => (await fork())?.state === 'ended')
    expect(await asked()).toBe(1)
    expect(await fork()).toMatchObject({ outcome: 'reported' })
  })
})
