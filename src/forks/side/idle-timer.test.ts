import { describe, expect, it } from 'vitest'
import { ScriptedAgent, says } from '../../../test/support/scripted-agent.ts'
import { until } from '../../../test/support/until.ts'
import { Agents } from '../../agents/agents.ts'
import type { NativeSessions } from '../../agents/driver.ts'
import { createOfflineDriver } from '../../agents/offline/offline.ts'
import { startOf, thisProcess } from '../../process-identity.ts'
import { createIds, type Ids, type SessionID } from '../../tree/ids.ts'
import { endFork } from './end-fork.ts'
import { embed, Ground, minute, tool } from './testing/ground.ts'

/** A fork that is open; its session. */
async function inFork(ground: Ground, idleTimeout?: number): Promise<SessionID> {
  await ground.fork(undefined, idleTimeout)
  return (await ground.openFork()).sessionID
}

/** Waits until the agent of the open fork has been asked, and has answered. */
async function asked(ground: Ground): Promise<void> {
  await until('the question', async () => (await ground.openFork()).promptedAt)
  await ground.looked()
}

const timesAsked = async (ground: Ground, id: SessionID): Promise<number> =>
  (await ground.contexts(id)).filter((context) => context.includes('[fork-timeout]')).length

describe('per fork idle_timeout minutes', () => {
  it('default 10', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    expect(await ground.openFork()).toMatchObject({ idleTimeout: 10 })
    ground.pass(9.9)
    await ground.looked()
    expect(await timesAsked(ground, fork)).toBe(0)
    ground.pass(0.2)
    await asked(ground)
    expect(await timesAsked(ground, fork)).toBe(1)
  })

  it('or what the person set for all', async () => {
    const ground = await Ground.open({ config: { forks: { idle: 3 } } })
    await inFork(ground)
    expect(await ground.openFork()).toMatchObject({ idleTimeout: 3 })
    ground.pass(3.1)
    await asked(ground)
  })

  it('or what whoever opened it wanted, the person or the agent', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground, 30)
    ground.pass(29)
    await ground.looked()
    expect(await timesAsked(ground, fork)).toBe(0)
    ground.pass(2)
    await asked(ground)
    await ground.exit('discard')
    await ground.say(tool('enter_fork', { idle_timeout: 2 }))
    ground.pass(2.1)
    await asked(ground)
  })

  it('a time that makes no sense is refused', async () => {
    const ground = await Ground.open()
    await expect(ground.fork('herons', 0)).rejects.toMatchObject({ code: 'bad_input' })
    await expect(ground.fork('herons', Number.NaN)).rejects.toMatchObject({ code: 'bad_input' })
    expect(await ground.sideForks()).toEqual([])
  })
})

describe('checked by whoever runs the channel', () => {
  it('nobody does where nobody keeps time', async () => {
    const ground = await Ground.open({ isUnattended: true })
    const fork = await inFork(ground)
    ground.pass(60)
    const other = await ground.another()
    expect(await other.sideFork(fork)).toMatchObject({ state: 'open', promptedAt: null })
    await other.keepTime()
    await asked(ground)
    expect(await timesAsked(ground, fork)).toBe(1)
  })

  it('of several that do, one asks', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    for (const _ of [1, 2]) await (await ground.another()).keepTime()
    ground.pass(11)
    await asked(ground)
    await ground.looked()
    expect(await timesAsked(ground, fork)).toBe(1)
  })

  it('what the agent says then is shown in the channel', async () => {
    const ground = await Ground.open()
    ground.answers.set('[fork-timeout]', 'are you still there?')
    const fork = await inFork(ground)
    ground.pass(11)
    await asked(ground)
    expect(ground.front.shown.map(({ turn }) => turn.sessionID)).toEqual([fork])
    expect(ground.front.shown[0]?.messages.at(-1)?.text).toContain('are you still there?')
  })
})

describe('activity is any message, of the person or the agent, and a running turn: last_activity resets', () => {
  it('the person', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    for (const _ of [1, 2, 3]) {
      ground.pass(9)
      await ground.say('still here')
    }
    await ground.looked()
    expect(await timesAsked(ground, fork)).toBe(0)
    expect(ground.time.now - (await ground.openFork()).lastActivity).toBeLessThan(minute)
  })

  it('the person in any front end: also outside the channel', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    ground.pass(9)
    await (await ground.bough.send(fork, 'still here')).ended
    ground.pass(9)
    await ground.looked()
    expect(await timesAsked(ground, fork)).toBe(0)
  })

  it('the agent: its turn has just ended', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    const turn = ground.say('sleep 1')
    await ground.held(1)
    ground.pass(9)
    ground.release(1)
    await turn
    ground.pass(9)
    await ground.looked()
    expect(await timesAsked(ground, fork)).toBe(0)
  })

  it('a running turn', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    const turn = ground.say('sleep 1')
    await ground.held(1)
    ground.pass(60)
    await ground.looks()
    const store = await ground.store()
    expect(await store.inbox.open(ground.channelID)).toHaveLength(1)
    ground.release(1)
    await turn
    await ground.looked()
    expect(await timesAsked(ground, fork)).toBe(0)
    expect(await ground.openFork()).toMatchObject({ promptedAt: null })
  })

  it('messages in main are none', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    ground.pass(9)
    await (await ground.bough.send(await ground.main(), 'beside')).ended
    ground.pass(2)
    await asked(ground)
    expect(await timesAsked(ground, fork)).toBe(1)
  })
})

describe('wall-clock time counts, across restarts', () => {
  it('the agent is asked', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    ground.pass(6)
    await ground.close()
    ground.pass(6)
    await ground.reopen()
    await asked(ground)
    expect(await timesAsked(ground, fork)).toBe(1)
  })

  it('the fork ends', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    ground.pass(11)
    await asked(ground)
    ground.pass(6)
    await ground.close()
    ground.pass(6)
    await ground.reopen()
    expect(await ground.ended(fork)).toMatchObject({ outcome: 'reported' })
  })

  it('a night later the agent is asked first: the fork does not end at once', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    await ground.close()
    ground.pass(12 * 60)
    await ground.reopen()
    await asked(ground)
    await ground.looked()
    expect((await ground.openFork()).sessionID).toBe(fork)
  })
})

describe('counts as the person', () => {
  it('an approval answered', async () => {
    const ground = await Ground.open()
    ground.answers.set('[fork-timeout]', 'run true')
    await inFork(ground)
    ground.pass(11)
    const permission = await until('a permission', async () => (await ground.bough.permissions())[0])
    expect((await ground.openFork()).promptedAt).not.toBeNull()
    await ground.bough.answer(permission.id, { allow: true })
    expect(await ground.openFork()).toMatchObject({ promptedAt: null })
    await ground.looked()
    expect(await ground.openFork()).toMatchObject({ promptedAt: null })
  })

  it('an agent’s button clicked, also one that is refused while the fork is open', async () => {
    const ground = await Ground.open()
    await ground.run(embed('count them'))
    const fork = await inFork(ground)
    ground.pass(11)
    await asked(ground)
    await expect(ground.click(await ground.button())).rejects.toThrow('already in a fork')
    expect(await ground.openFork()).toMatchObject({ promptedAt: null })
    ground.pass(9)
    await ground.looked()
    expect((await ground.openFork()).sessionID).toBe(fork)
  })

  it('an agent’s button of main’s clicked, which waits for the end of the fork', async () => {
    const ground = await Ground.open()
    await ground.say(embed('count them'))
    const fork = await inFork(ground)
    ground.pass(11)
    await asked(ground)
    const click = ground.click(await ground.button())
    await until('the click', async () => (await ground.openFork()).promptedAt === null)
    await ground.exit('discard', fork)
    await click
    expect(await ground.contextOfLast(await ground.main())).toContain('[button] count them')
  })

  it('a button of the banner clicked: its end is the person’s, not the timer’s', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    ground.pass(11)
    await asked(ground)
    await ground.exit('report')
    expect(await ground.sideFork(fork)).toMatchObject({ outcome: 'reported', reason: null })
  })
})

describe('idle longer than the timeout and not yet prompted', () => {
  it('the agent gets a [fork-timeout] message that tells it to save, report, exit, or ask; prompted_at is set', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    const main = await ground.messages(await ground.main())
    ground.pass(11)
    await asked(ground)
    const context = await ground.contextOfLast(fork)
    expect(context).toContain('[fork-timeout] Nobody has said anything in this fork for 10 minutes.')
    expect(context).toMatch(/Save it, report it or exit it .* ask whether the person is still there/s)
    expect((await ground.openFork()).promptedAt).toBeGreaterThan(ground.time.now - minute)
    expect(await ground.messages(await ground.main())).toEqual(main)
  })

  it.each([
    ['save_context', 'saved'],
    ['report_updates', 'reported'],
    ['exit_fork', 'discarded'],
  ] as const)('the agent may end it then with %s', async (name, outcome) => {
    const ground = await Ground.open()
    ground.answers.set('[fork-timeout]', tool(name, { message: 'herons' }))
    const fork = await inFork(ground)
    ground.pass(11)
    expect(await ground.ended(fork)).toMatchObject({ outcome, reason: null })
  })

  it('is asked once, also when that turn fails', async () => {
    const ground = await Ground.open()
    ground.answers.set('[fork-timeout]', 'fail no model today')
    const fork = await inFork(ground)
    ground.pass(11)
    await asked(ground)
    ground.pass(5)
    await ground.looked()
    expect(await timesAsked(ground, fork)).toBe(1)
  })
})

describe('only a message from the person clears prompted_at', () => {
  it('so the agent cannot keep a fork alive by talking to itself', async () => {
    const ground = await Ground.open()
    ground.answers.set('[fork-timeout]', 'I am still here, and talk')
    const fork = await inFork(ground)
    ground.pass(11)
    await asked(ground)
    const { promptedAt, lastActivity } = await ground.openFork()
    expect(lastActivity).toBeGreaterThan(promptedAt ?? 0)
    ground.pass(10.1)
    expect(await ground.ended(fork)).toMatchObject({ outcome: 'reported' })
    expect(await timesAsked(ground, fork)).toBe(1)
  })

  it('the person clears it: everything begins anew', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    ground.pass(11)
    await asked(ground)
    await ground.say('still here')
    expect(await ground.openFork()).toMatchObject({ promptedAt: null })
    ground.pass(9)
    await ground.looked()
    expect(await ground.openFork()).toMatchObject({ sessionID: fork, promptedAt: null })
    ground.pass(2)
    await asked(ground)
    expect(await timesAsked(ground, fork)).toBe(2)
    expect((await ground.openFork()).sessionID).toBe(fork)
  })

  it('what runs beside it does not', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    ground.pass(11)
    await asked(ground)
    ground.pass(6)
    await ground.run(tool('report_updates', { message: 'herons' }))
    ground.pass(6)
    await ground.ended(fork)
  })
})

describe('prompted, and the timeout passes again without the person', () => {
  it('the fork ends with a report that the agent writes', async () => {
    const ground = await Ground.open()
    ground.answers.set('This fork ends with a report', tool('report_updates', { message: 'a summary' }))
    const fork = await inFork(ground)
    ground.pass(11)
    await asked(ground)
    ground.pass(11)
    expect(await ground.ended(fork)).toMatchObject({ outcome: 'reported' })
    expect(await ground.updates()).toEqual(['a summary'])
  })

  it('made from the agent’s own last words if it will not write one', async () => {
    const ground = await Ground.open()
    ground.answers.set('[fork-timeout]', 'herons are tall')
    ground.answers.set('This fork ends with a report', 'fail no model today')
    const fork = await inFork(ground)
    ground.pass(11)
    await asked(ground)
    const last = (await ground.messages(fork)).findLast(({ role }) => role === 'assistant')
    expect(last?.text).toContain('herons are tall')
    ground.pass(11)
    await ground.ended(fork)
    expect(await ground.updates()).toEqual([last?.text])
  })

  it('the exit banner says why', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    ground.pass(11)
    await asked(ground)
    ground.pass(11)
    expect(await ground.ended(fork)).toMatchObject({ reason: 'Nobody said anything any more.' })
    const banner = await until('the banner', () => ground.front.kind('ended')[0])
    expect(banner).toMatchObject({
      outcome: 'reported',
      words: expect.stringMatching(/^Nobody said anything any more\. The fork was reported/),
    })
  })
})

describe('state is read again under the lock before acting', () => {
  it('a fork that ended while the question waited in the queue gets nothing, and main never sees it', async () => {
    const ground = await Ground.open()
    const main = await ground.main()
    const fork = await inFork(ground)
    const free = await block(ground)
    ground.pass(11)
    await idleItem(ground, 'waiting')
    await (await ground.bough.send(fork, tool('exit_fork'))).ended
    await ground.ended(fork)
    await free()
    await ground.looked()
    expect(await timesAsked(ground, fork)).toBe(0)
    expect(await ground.messages(main)).toEqual([])
    expect(ground.front.shown).toEqual([])
  })

  it('a fork in which the person said something meanwhile gets nothing', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    const free = await block(ground)
    ground.pass(11)
    await idleItem(ground, 'waiting')
    await (await ground.bough.send(fork, 'still here')).ended
    await free()
    await ground.looked()
    expect(await ground.openFork()).toMatchObject({ sessionID: fork, promptedAt: null })
    expect(await timesAsked(ground, fork)).toBe(0)
  })

  it('the next fork, which was opened meanwhile, gets nothing either', async () => {
    const ground = await Ground.open()
    const first = await inFork(ground)
    const free = await block(ground)
    ground.pass(11)
    await idleItem(ground, 'waiting')
    const [exit, next] = [ground.exit('discard', first), ground.fork('next')]
    await (await ground.bough.send(first, tool('save_context'))).ended
    await free()
    await expect(exit).rejects.toMatchObject({ code: 'fork_ended' })
    await next
    await ground.looked()
    const { sessionID } = await ground.openFork()
    expect(sessionID).not.toBe(first)
    expect(await timesAsked(ground, sessionID)).toBe(0)
  })

  it('the idle prompt does not reach main because the fork ended while it waited for the lock', async () => {
    const agent = lendable()
    const ground = await Ground.open({ drivers: [agent.driver] })
    const main = await ground.main()
    const fork = await inFork(ground)
    await ground.say('hello')
    const before = await ground.messages(fork)
    const store = await ground.store()
    // Another process has lent its session to somebody: the question has begun, and waits for it.
    await (await ground.another()).lend(fork, async () => {
      ground.pass(11)
      await idleItem(ground, 'running')
      await until('its place in line', async () => (await store.requests.of(fork)).length > 0)
      await endNow(ground, fork)
    })
    await ground.looked()
    expect(await ground.messages(fork)).toEqual(before)
    expect(await ground.messages(main)).toEqual([])
    expect(agent.told.some((prompt) => prompt.includes('[fork-timeout]'))).toBe(false)
  })

  it('a fork that ended while its last report waited for the lock ends once', async () => {
    const agent = lendable()
    const ground = await Ground.open({ drivers: [agent.driver] })
    const fork = await inFork(ground)
    await ground.say('hello')
    ground.pass(11)
    await asked(ground)
    const store = await ground.store()
    await (await ground.another()).lend(fork, async () => {
      ground.pass(11)
      await idleItem(ground, 'running')
      await until('its place in line', async () => (await store.requests.of(fork)).length > 0)
      await endNow(ground, fork)
    })
    await ground.looked()
    expect(await ground.sideFork(fork)).toMatchObject({ outcome: 'discarded' })
    expect(await ground.updates()).toEqual([])
    expect(agent.told.some((prompt) => prompt.includes('ends with a report'))).toBe(false)
  })
})

/** An agent whose sessions can be lent to somebody. */
function lendable(): ScriptedAgent {
  const agent = new ScriptedAgent('scripted', () => says('Fine.'))
  const command: NativeSessions['command'] = async ({ nativeID }) => ({ command: ['true'], nativeID })
  Object.assign(agent.driver.native ?? {}, { command })
  return agent
}

/** Something is being done in the channel until what this resolves with is called. */
async function block(ground: Ground): Promise<() => Promise<void>> {
  const store = await ground.store()
  // Somebody else's, who lives.
  const another = { ...thisProcess(), pid: process.ppid, started: startOf(process.ppid) ?? '' }
  const { id, ...item } = {
    ...{ id: newIDs(ground).inbox(), channelID: ground.channelID, isUrgent: false, isForMain: false },
    ...{ process: another, forkID: null, messageID: null, reason: null, created: ground.clock() },
  }
  const what = { kind: 'message', text: 'held', externalID: null, replyTo: null } as const
  await store.transaction((tx) => tx.inbox.insert({ id, ...item, what, state: 'running' }))
  return () => store.transaction((tx) => tx.inbox.end(id, 'done', null))
}

const newIDs = ({ clock }: Ground): Ids =>
  createIds(clock, (length) => crypto.getRandomValues(new Uint8Array(length)))

/** Ends a fork at once: what came in through the channel would have to wait. */
const endNow = async (ground: Ground, fork: SessionID): Promise<void> => {
  const agents = new Agents([createOfflineDriver()])
  const { clock, home } = ground
  const parts = {
    ...{ store: await ground.store(), ids: newIDs(ground), clock, agents },
    dataDirectory: home.data,
  }
  await endFork(parts, fork, { action: 'discard' })
}

const idleItem = async (ground: Ground, state: 'waiting' | 'running') => {
  const store = await ground.store()
  return until(`the question to be ${state}`, async () =>
    (await store.inbox.open(ground.channelID)).find(
      (item) => item.what.kind === 'idle' && item.state === state,
    ),
  )
}
