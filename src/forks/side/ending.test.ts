import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import type { ExitAction } from '../../tree/side-fork.ts'
import { embed, Ground, tool } from './testing/ground.ts'

const told = (text: string) => `- just now: ${text}`

/** A fork that is open; its session. */
async function inFork(ground: Ground) {
  await ground.fork()
  return (await ground.openFork()).sessionID
}

describe.each([
  ['by tool', (ground: Ground) => ground.say(tool('save_context'))],
  ['by button', (ground: Ground) => ground.exit('save')],
] as const)('save, %s', (how, save) => {
  it('the fork becomes main; the old main stays in the tree', async () => {
    const ground = await Ground.open()
    await ground.say('hello')
    const old = await ground.main()
    const before = await ground.messages(old)
    const fork = await inFork(ground)
    await ground.say('in the fork')
    await save(ground)
    expect(await ground.channel()).toMatchObject({ mainID: fork, openForkID: null })
    expect(await ground.sideFork(fork)).toMatchObject({ state: 'ended', outcome: 'saved' })
    expect(await ground.messages(old)).toEqual(before)
    expect((await ground.bough.tree(old)).map(({ id }) => id)).toEqual([old, fork])
    await ground.say('in main')
    expect(await ground.lastPrompt(fork)).toMatchObject({ text: 'in main' })
  })

  it('updates that the new main already knows are cleared, and others are not', async () => {
    const ground = await Ground.open()
    await ground.report('herons are tall')
    const fork = await inFork(ground)
    await ground.say('look')
    expect(await ground.contextOfLast(fork)).toContain(told('herons are tall'))
    const meanwhile = await ground.run(tool('report_updates', { message: 'owls are not' }))
    expect(meanwhile).toMatchObject({ outcome: 'finished' })
    await save(ground)
    // The turn that saves was shown all that waited.
    expect(await ground.updates()).toEqual(how === 'by tool' ? [] : ['owls are not'])
  })
})

describe('report', () => {
  it('by tool: the message is queued for main; the fork ends', async () => {
    const ground = await Ground.open()
    const main = await ground.main()
    const fork = await inFork(ground)
    await ground.say(tool('report_updates', { message: 'herons are tall' }))
    expect(await ground.sideFork(fork)).toMatchObject({ state: 'ended', outcome: 'reported', reported: true })
    expect(await ground.channel()).toMatchObject({ mainID: main, openForkID: null })
    expect(await ground.updates()).toEqual(['herons are tall'])
    expect(await ground.messages(main)).toEqual([])
    await ground.say('news?')
    expect(await ground.contextOfLast(main)).toContain(told('herons are tall'))
  })

  it('by button: asks the agent in the fork for a summary first', async () => {
    const ground = await Ground.open()
    ground.answers.set('This fork ends with a report', tool('report_updates', { message: 'a summary' }))
    const fork = await inFork(ground)
    await ground.say('hello')
    await ground.exit('report')
    expect(await ground.contextOfLast(fork)).toContain('[button] This fork ends with a report.')
    expect(await ground.sideFork(fork)).toMatchObject({ state: 'ended', outcome: 'reported' })
    expect(await ground.updates()).toEqual(['a summary'])
    expect(ground.front.shown.map(({ turn }) => turn.sessionID)).toEqual([fork, fork])
  })

  it('by button: what the agent says is the report, where it calls no tool', async () => {
    const ground = await Ground.open()
    ground.answers.set('This fork ends with a report', 'herons are tall')
    await inFork(ground)
    await ground.exit('report')
    expect(await ground.updates()).toEqual([expect.stringContaining('“herons are tall”')])
  })

  it.each(['save_context', 'exit_fork'])(
    'by button: the agent cannot make something else of it with %s',
    async (name) => {
      const ground = await Ground.open()
      ground.answers.set('This fork ends with a report', tool(name))
      const fork = await inFork(ground)
      await ground.exit('report')
      expect(await ground.sideFork(fork)).toMatchObject({ outcome: 'reported' })
      expect(await ground.main()).not.toBe(fork)
      expect((await ground.results(fork)).at(-1)).toContain('The first wish counts')
    },
  )

  it('if the summary that the Report button asks for fails, the agent’s last words are reported', async () => {
    const ground = await Ground.open()
    ground.answers.set('This fork ends with a report', 'fail no model today')
    const fork = await inFork(ground)
    await ground.say('herons')
    const last = (await ground.messages(fork)).findLast(({ role }) => role === 'assistant')
    await ground.exit('report')
    expect(await ground.sideFork(fork)).toMatchObject({ state: 'ended', outcome: 'reported' })
    expect(await ground.updates()).toEqual([last?.text])
  })

  it('if the summary is interrupted, the agent’s last words are reported', async () => {
    const ground = await Ground.open()
    ground.answers.set('This fork ends with a report', 'sleep 1')
    const fork = await inFork(ground)
    await ground.say('herons')
    const last = (await ground.messages(fork)).findLast(({ role }) => role === 'assistant')
    const exit = ground.exit('report')
    await ground.held(1)
    await ground.bough.abort(fork)
    await exit
    expect(await ground.updates()).toEqual([last?.text])
  })

  it('with words of the person’s own, nobody is asked', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    const { outcome, words } = await ground.bough.exit(fork, { action: 'report', text: 'my own words' })
    expect([outcome, words]).toEqual(['reported', expect.stringContaining('main conversation is told')])
    expect(await ground.updates()).toEqual(['my own words'])
    expect(ground.front.shown).toEqual([])
    await expect(ground.bough.exit(fork, { action: 'report', text: ' ' })).rejects.toMatchObject({
      code: 'bad_input',
    })
  })

  it('a report never shows another fork’s text, nor main’s', async () => {
    const ground = await Ground.open()
    await ground.say('words of main')
    ground.answers.set('This fork ends with a report', 'fail no model today')
    await inFork(ground)
    await ground.say('words of the first fork')
    await ground.exit('discard')
    await ground.run('words of a background fork')
    await inFork(ground)
    await ground.exit('report')
    expect(await ground.updates()).toEqual(['The fork has ended; nothing was said in it.'])
  })
})

describe('discard', () => {
  it.each([
    ['by tool', (ground: Ground) => ground.say(tool('exit_fork'))],
    ['by button', (ground: Ground) => ground.exit('discard')],
  ] as const)('%s: the fork ends, nothing returns', async (_, discard) => {
    const ground = await Ground.open()
    const main = await ground.main()
    const fork = await inFork(ground)
    await ground.say('in the fork')
    await discard(ground)
    expect(await ground.channel()).toMatchObject({ mainID: main, openForkID: null })
    expect(await ground.sideFork(fork)).toMatchObject({ state: 'ended', outcome: 'discarded' })
    expect(await ground.updates()).toEqual([])
    await ground.say('in main')
    expect(await ground.prompts(main)).toEqual(['in main'])
    expect(await ground.contextOfLast(main)).not.toContain('fork')
  })

  it('the fork itself stays in the tree: main never hears of it, and it can be opened again', async () => {
    const ground = await Ground.open()
    const main = await ground.main()
    const fork = await inFork(ground)
    await ground.say('in the fork')
    await ground.exit('discard')
    expect((await ground.bough.tree(main)).map(({ id }) => id)).toEqual([main, fork])
    await (await ground.bough.send(fork, 'go on')).ended
    expect(await ground.prompts(fork)).toEqual(['in the fork', 'go on'])
    expect(await ground.sideFork(fork)).toMatchObject({ state: 'ended', outcome: 'discarded' })
    expect(await ground.messages(main)).toEqual([])
    await ground.reply(ground.front.shown[0]?.externalID ?? '', 'and on')
    const { sessionID } = await ground.openFork()
    expect(await ground.bough.session(sessionID)).toMatchObject({ parentID: fork })
    expect(await ground.prompts(sessionID)).toEqual(['in the fork', 'go on', 'and on'])
  })
})

it('none: the fork goes on', async () => {
  const ground = await Ground.open()
  const fork = await inFork(ground)
  await ground.say('one')
  await ground.say('fail two')
  expect(await ground.openFork()).toMatchObject({ sessionID: fork, wish: null })
})

describe('a tool only records the action', () => {
  it.each([
    ['save_context', 'saved', 'becomes the main conversation'],
    ['report_updates', 'reported', 'the main conversation is told'],
    ['exit_fork', 'discarded', 'nothing returns'],
  ] as const)('%s: the change is made after its turn has ended', async (name, outcome, words) => {
    const ground = await Ground.open()
    const main = await ground.main()
    const fork = await inFork(ground)
    const turn = ground.say(`${tool(name, { message: 'herons' })}\nsleep 1`)
    await ground.held(1)
    await ground.looks()
    expect(await ground.channel()).toMatchObject({ mainID: main, openForkID: fork })
    expect(await ground.updates()).toEqual([])
    expect((await ground.openFork()).wish).not.toBeNull()
    ground.release(1)
    await turn
    expect(await ground.results(fork)).toEqual([expect.stringContaining('After this turn')])
    expect(await ground.results(fork)).toEqual([expect.stringContaining(words)])
    expect(await ground.sideFork(fork)).toMatchObject({ state: 'ended', outcome })
  })

  it('the first of a turn wins', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    await ground.say(
      [
        tool('report_updates', { message: 'a' }),
        tool('save_context'),
        tool('report_updates', { message: 'b' }),
      ].join('\n'),
    )
    expect(await ground.sideFork(fork)).toMatchObject({ state: 'ended', outcome: 'reported' })
    expect(await ground.updates()).toEqual(['a'])
    expect(await ground.main()).not.toBe(fork)
    const [, second, third] = await ground.results(fork)
    expect([second, third]).toEqual(Array(2).fill(expect.stringContaining('The first wish counts')))
  })

  it('the change is made also when the turn fails after it', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    await ground.say(`${tool('report_updates', { message: 'herons' })}\nfail no model today`)
    expect(await ground.sideFork(fork)).toMatchObject({ state: 'ended', outcome: 'reported' })
    expect(await ground.updates()).toEqual(['herons'])
  })
})

describe('in a background fork', () => {
  it('report_updates queues the message and the run goes on', async () => {
    const ground = await Ground.open()
    const { sessionID } = await ground.bough.runBackground(
      ground.channelID,
      `${tool('report_updates', { message: 'a' })}\n${tool('report_updates', { message: 'b' })}\nsleep 1`,
    )
    await ground.held(1)
    expect(await ground.updates()).toEqual(['a', 'b'])
    expect(await ground.sideFork(sessionID)).toMatchObject({ state: 'open', reported: true })
    ground.release(1)
    expect(await ground.ended(sessionID)).toMatchObject({ outcome: 'finished' })
  })

  it('save_context takes effect when the run ends', async () => {
    const ground = await Ground.open()
    const main = await ground.main()
    const prompt = `${tool('save_context')}\nsleep 1`
    const { sessionID } = await ground.bough.runBackground(ground.channelID, prompt)
    await ground.held(1)
    await ground.looks()
    expect(await ground.main()).toBe(main)
    ground.release(1)
    expect(await ground.ended(sessionID)).toMatchObject({ outcome: 'saved' })
    expect(await ground.main()).toBe(sessionID)
  })

  it('save_context has no effect when the run fails', async () => {
    const ground = await Ground.open()
    const main = await ground.main()
    expect(await ground.run(`${tool('save_context')}\nfail no`)).toMatchObject({ outcome: 'failed' })
    expect(await ground.main()).toBe(main)
  })

  it.each(['exit_fork', 'enter_fork'])('%s returns an error text', async (name) => {
    const ground = await Ground.open()
    const { sessionID, outcome } = await ground.run(tool(name))
    expect(outcome).toBe('finished')
    expect(await ground.results(sessionID)).toEqual([expect.stringContaining('A background fork')])
    const [result] = (await ground.messages(sessionID)).flatMap(({ parts }) =>
      parts.filter(({ type }) => type === 'tool-result'),
    )
    expect(result).toMatchObject({ exitCode: 1 })
    expect(await ground.isForkOpen()).toBe(false)
  })
})

describe('outside a fork', () => {
  it.each(['save_context', 'report_updates', 'exit_fork'])(
    '%s returns an error text that says so',
    async (name) => {
      const ground = await Ground.open()
      const main = await ground.main()
      await ground.say(tool(name, { message: 'x' }))
      expect(await ground.results(main)).toEqual([expect.stringContaining('You are not in a fork')])
      expect(await ground.main()).toBe(main)
      expect(await ground.updates()).toEqual([])
    },
  )

  it('so it is in a branch, and in a fork that has ended', async () => {
    const ground = await Ground.open()
    await ground.say('hello')
    const branch = (await ground.bough.fork(await ground.main())).id
    const ended = await inFork(ground)
    await ground.exit('discard')
    for (const id of [branch, ended]) {
      await (await ground.bough.send(id, tool('exit_fork'))).ended
      expect((await ground.results(id)).at(-1)).toContain('You are not in a fork')
    }
  })
})

describe('ending shows the exit banner with the true outcome, in words', () => {
  it.each([
    ['save', 'saved', 'The fork was saved: it is the main conversation now.'],
    [
      'report',
      'reported',
      'The fork was reported: the main conversation is told with its next message.\n> Nothing was said that I could report.',
    ],
    ['discard', 'discarded', 'The fork was discarded: nothing of it went to the main conversation.'],
  ] as const)('%s', async (action: ExitAction, outcome, words) => {
    const ground = await Ground.open()
    await inFork(ground)
    await ground.exit(action)
    expect(ground.front.kind('ended')).toEqual([{ kind: 'ended', outcome, words }])
    expect(ground.front.log.at(-1)).toBe('ended')
  })

  it('after the turn that ended it, and once', async () => {
    const ground = await Ground.open()
    await inFork(ground)
    await ground.say(tool('save_context'))
    await ground.looked()
    expect(ground.front.log).toEqual(['entered', 'turn', 'ended'])
  })
})

describe('two exits at once', () => {
  it('two clicks: the first wins, the second is told that it is over', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    const exits = await Promise.allSettled([ground.exit('save', fork), ground.exit('discard', fork)])
    expect(exits).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'fork_ended', message: 'That fork is over: it was saved.' } },
    ])
    expect(await ground.main()).toBe(fork)
    expect(ground.front.kind('ended')).toHaveLength(1)
  })

  it('two clicks in two processes end a fork once', async () => {
    // Who keeps time would do what the other has in hand: here they are one process.
    const ground = await Ground.open({ isUnattended: true })
    const other = await ground.another()
    const fork = await inFork(ground)
    const exits = await Promise.allSettled([
      ground.bough.exit(fork, { action: 'report', text: 'a' }),
      other.exit(fork, { action: 'report', text: 'b' }),
      other.exit(fork, { action: 'save' }),
    ])
    expect(exits.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
    await ground.attend()
    expect(ground.front.kind('ended')).toHaveLength(1)
    expect(await ground.updates()).toHaveLength((await ground.main()) === fork ? 0 : 1)
  })

  it('two that end a background fork at once end it once', async () => {
    const ground = await Ground.open()
    const main = await ground.main()
    const { sessionID } = await ground.bough.runBackground(ground.channelID, 'sleep 1')
    await ground.held(1)
    const exits = await Promise.allSettled([
      ground.bough.exit(sessionID, { action: 'discard' }),
      ground.bough.exit(sessionID, { action: 'save' }),
      ground.bough.exit(sessionID, { action: 'report', text: 'herons' }),
    ])
    expect(exits).toMatchObject([
      { status: 'fulfilled', value: { outcome: 'discarded' } },
      { status: 'rejected', reason: { code: 'fork_ended' } },
      { status: 'rejected', reason: { code: 'fork_ended' } },
    ])
    expect(await ground.main()).toBe(main)
    expect(await ground.updates()).toEqual([])
    await until('the banner', () => ground.front.kind('ended')[0])
    expect(ground.front.kind('ended')).toHaveLength(1)
  })

  it('two clicks on Report ask for one summary', async () => {
    const ground = await Ground.open()
    ground.answers.set('This fork ends with a report', tool('report_updates', { message: 'a summary' }))
    const fork = await inFork(ground)
    const exits = await Promise.allSettled([ground.exit('report', fork), ground.exit('report', fork)])
    expect(exits).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'fork_ended' } },
    ])
    expect(await ground.prompts(fork)).toEqual([''])
    expect(await ground.updates()).toEqual(['a summary'])
  })

  it('a button while a turn is ending: the first wins, the second is told that it is over', async () => {
    const ground = await Ground.open()
    const main = await ground.main()
    const fork = await inFork(ground)
    const turn = ground.say(`${tool('exit_fork')}\nsleep 1`)
    await ground.held(1)
    const click = expect(ground.exit('save')).rejects.toMatchObject({
      ...{ code: 'fork_ended', message: 'That fork is over: it was discarded.' },
    })
    ground.release(1)
    await Promise.all([turn, click])
    expect(await ground.sideFork(fork)).toMatchObject({ outcome: 'discarded' })
    expect(await ground.main()).toBe(main)
  })

  it('a button while a turn runs that asks for nothing ends the fork after that turn', async () => {
    const ground = await Ground.open()
    const fork = await inFork(ground)
    const turn = ground.say('sleep 1')
    await ground.held(1)
    const click = ground.exit('discard')
    await ground.looks()
    expect((await ground.openFork()).sessionID).toBe(fork)
    ground.release(1)
    await Promise.all([turn, click])
    expect(await ground.sideFork(fork)).toMatchObject({ outcome: 'discarded' })
  })

  it('what the person says while the fork is ending goes to main', async () => {
    const ground = await Ground.open()
    const main = await ground.main()
    const fork = await inFork(ground)
    const turn = await ground.bough.send(fork, `${tool('exit_fork')}\nsleep 1`)
    await ground.held(1)
    const said = ground.say('for whoever is there')
    await ground.looks()
    ground.release(1)
    await Promise.all([turn.ended, said])
    expect(await ground.prompts(main)).toEqual(['for whoever is there'])
    expect(await ground.prompts(fork)).toHaveLength(1)
  })

  it('a late click on the banner of a fork that is over does not end the next', async () => {
    const ground = await Ground.open()
    const first = await inFork(ground)
    await ground.exit('discard')
    const second = await inFork(ground)
    await expect(ground.exit('save', first)).rejects.toMatchObject({ code: 'fork_ended' })
    expect((await ground.openFork()).sessionID).toBe(second)
  })
})

describe('an exit through another channel', () => {
  it.each(['save', 'report', 'discard'] as const)('is refused and changes nothing: %s', async (action) => {
    const ground = await Ground.open()
    const place = { frontEnd: 'test', key: 'elsewhere' }
    const elsewhere = await ground.bough.openChannel(place, { directory: ground.directory })
    await inFork(ground)
    const before = await ground.openFork()
    await expect(
      ground.bough.say(elsewhere.id, { kind: 'exit', action, forkID: before.sessionID }),
    ).rejects.toMatchObject({ code: 'bad_input', message: 'That belongs to another channel. Do it there.' })
    expect(await ground.openFork()).toEqual(before)
    expect(await ground.bough.channel(elsewhere.id)).toEqual(elsewhere)
    expect(await (await ground.store()).inbox.open(elsewhere.id)).toEqual([])
    expect(await ground.updates()).toEqual([])
  })
})

describe('an exit requested by a tool in one fork can never end another fork', () => {
  it.each(['exit_fork', 'save_context', 'report_updates'])(
    '%s of a background fork does not end the interactive one',
    async (name) => {
      const ground = await Ground.open()
      const fork = await inFork(ground)
      const run = await ground.run(tool(name, { message: 'x' }))
      expect(run.state).toBe('ended')
      expect(await ground.openFork()).toMatchObject({ sessionID: fork, wish: null, reported: false })
    },
  )

  it('nor does one of a fork that has ended, or of main', async () => {
    const ground = await Ground.open()
    const main = await ground.main()
    const first = await inFork(ground)
    await ground.exit('discard')
    const second = await inFork(ground)
    for (const id of [first, main]) await (await ground.bough.send(id, tool('save_context'))).ended
    await ground.looked()
    expect(await ground.openFork()).toMatchObject({ sessionID: second, wish: null })
    expect(await ground.main()).toBe(main)
  })
})

describe('if main has moved on since the fork', () => {
  it('(a background fork was saved meanwhile) save still works, says how many messages stay on the old branch, and names that branch', async () => {
    const ground = await Ground.open()
    await ground.say('hello')
    const fork = await inFork(ground)
    await ground.say('in the fork')
    const run = await ground.run(tool('save_context'))
    expect(await ground.main()).toBe(run.sessionID)
    const stay = (await ground.messages(run.sessionID)).filter((each) => each.sessionID === run.sessionID)
    await ground.exit('save')
    expect(await ground.channel()).toMatchObject({ mainID: fork, openForkID: null })
    const words = `${stay.length} messages stay on the branch that was main before, ${run.sessionID}.`
    expect(ground.front.kind('ended').at(-1)?.words).toContain(words)
    expect(await ground.messages(run.sessionID)).not.toEqual([])
  })

  it('(somebody talked in main meanwhile) the same', async () => {
    const ground = await Ground.open()
    const main = await ground.main()
    const fork = await inFork(ground)
    await (await ground.bough.send(main, 'beside')).ended
    const { words } = await ground.bough.exit(fork, { action: 'save' })
    expect(words).toContain(`2 messages stay on the branch that was main before, ${main}.`)
  })

  it('a fork of a fork that was saved leaves nothing behind', async () => {
    const ground = await Ground.open()
    await ground.run(`${tool('save_context')}\n${embed('count them')}`)
    await ground.fork('herons')
    await ground.exit('save')
    expect(ground.front.kind('ended').at(-1)?.words).toBe(
      'The fork was saved: it is the main conversation now.',
    )
  })
})
