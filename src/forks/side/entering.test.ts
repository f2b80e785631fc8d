import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import type { ChannelID } from '../../tree/ids.ts'
import { embed, Ground, minute, RecordingFrontEnd, tool } from './testing/ground.ts'

describe('three kinds of fork, one state machine, all state in the store', () => {
  it('a restart of any process loses nothing and an open interactive fork is still open after it', async () => {
    const ground = await Ground.open()
    await ground.report('herons are tall')
    await ground.fork('owls')
    const before = await ground.openFork()
    await ground.close()
    await ground.reopen()
    expect(await ground.openFork()).toEqual(before)
    expect(await ground.updates()).toEqual(['herons are tall'])
    await ground.say('go on')
    expect(await ground.lastPrompt(before.sessionID)).toMatchObject({ text: 'go on' })
    await ground.exit('discard')
    expect(await ground.sideFork(before.sessionID)).toMatchObject({ state: 'ended', outcome: 'discarded' })
  })

  it('an end that a tool asked for is made after a restart, where the process died right after the turn', async () => {
    const ground = await Ground.open()
    await ground.fork()
    const { sessionID } = await ground.openFork()
    const store = await ground.store()
    await ground.close()
    await store.transaction((tx) =>
      tx.sideForks.wish(sessionID, { action: 'report', text: 'herons', turnID: 'trn_gone' }),
    )
    await ground.reopen()
    await ground.ended(sessionID)
    expect(await ground.updates()).toEqual(['herons'])
  })

  it('a branch starts at any message of any session and never ends by itself: it is a session like any other', async () => {
    const ground = await Ground.open()
    await ground.say('one')
    await ground.say('two')
    const main = await ground.main()
    const [first] = await ground.messages(main)
    const branch = await ground.bough.fork(main, { messageID: first?.id ?? 'msg_' })
    expect(await ground.bough.sideFork(branch.id)).toBeNull()
    ground.pass(60)
    await ground.looked()
    expect(await ground.messages(branch.id)).toHaveLength(1)
    await expect(ground.bough.exit(branch.id, { action: 'discard' })).rejects.toThrow('has no ending')
    expect(await ground.channel()).toMatchObject({ mainID: main, openForkID: null })
  })

  it('an interactive fork starts at main’s head and goes on in the channel over many turns', async () => {
    const ground = await Ground.open()
    await ground.say('hello')
    const main = await ground.main()
    const inMain = await ground.messages(main)
    await ground.fork()
    const { sessionID } = await ground.openFork()
    expect(await ground.bough.session(sessionID)).toMatchObject({
      ...{ parentID: main, forkPoint: inMain.at(-1)?.id, kind: 'interactive' },
    })
    await ground.say('one')
    await ground.say('two')
    expect((await ground.messages(sessionID)).slice(inMain.length).map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'user', 'assistant'],
    ])
    expect(await ground.messages(main)).toEqual(inMain)
  })

  it('an interactive fork of a background fork that somebody answered starts at its head', async () => {
    const ground = await Ground.open()
    const run = await ground.run(tool('ping_user', { text: 'look' }))
    const head = (await ground.messages(run.sessionID)).at(-1)?.id
    await ground.reply(await ground.sent('message'), 'why?')
    expect(await ground.bough.session((await ground.openFork()).sessionID)).toMatchObject({ forkPoint: head })
  })

  it('a background fork starts at main’s last finished turn, talks to nobody and ends by itself', async () => {
    const ground = await Ground.open()
    await ground.say('finished')
    const main = await ground.main()
    const finished = (await ground.messages(main)).at(-1)?.id
    const running = ground.say('sleep 1')
    await ground.held(1)
    const run = await ground.run('count the herons')
    expect(run).toMatchObject({ kind: 'background', state: 'ended', outcome: 'finished' })
    expect(await ground.bough.session(run.sessionID)).toMatchObject({ parentID: main, forkPoint: finished })
    ground.release(1)
    await running
    expect(ground.front.sent).toEqual([])
    expect(ground.front.shown.map(({ turn }) => turn.sessionID)).toEqual([main, main])
  })

  it('every channel has its own main, updates and queue; what a fork sends goes to its channel', async () => {
    const ground = await Ground.open()
    const other = await ground.bough.openChannel(
      { frontEnd: 'test', key: 'other' },
      { directory: ground.directory },
    )
    expect(other.mainID).not.toBe(await ground.main())
    await ground.fork()
    const held = ground.say('sleep 1')
    await ground.held(1)
    await ground.bough.say(other.id, { kind: 'message', text: 'beside' })
    await ground.bough.say(other.id, { kind: 'fork' })
    const { openForkID } = await ground.bough.channel(other.id)
    await ground.bough.exit(openForkID ?? 'ses_', { action: 'report', text: 'of the other' })
    ground.release(1)
    await held
    await ground.exit('discard')
    expect((await ground.bough.updates(other.id)).map(({ channelID }) => channelID)).toEqual([other.id])
    expect(await ground.updates()).toEqual([])
    await ground.say('anything new?')
    expect(await ground.contextOfLast(await ground.main())).not.toContain('of the other')
    expect(ground.front.kind('ended').map(({ outcome }) => outcome)).toEqual(['discarded'])
  })

  it('every routine, background fork and update names its channel, and what it sends goes there', async () => {
    const ground = await Ground.open()
    const other = await ground.bough.openChannel(
      { frontEnd: 'test', key: 'other' },
      { directory: ground.directory },
    )
    const there = new RecordingFrontEnd()
    await ground.bough.attend(other.id, there)
    const [here, elsewhere] = [ground.channelID, other.id]
    const sending = (text: string) =>
      `${tool('ping_user', { text })}\n${tool('report_updates', { message: text })}`
    for (const [id, name] of [
      [here, 'here'],
      [elsewhere, 'there'],
    ] as const) {
      await ground.bough.runBackground(id, sending(`run ${name}`))
      await ground.bough.addReminder(id, {
        at: ground.time.now + minute,
        prompt: sending(`reminder ${name}`),
      })
    }
    ground.pass(2)
    const texts = (front: RecordingFrontEnd) => front.kind('message').map(({ text }) => text)
    const both = [ground.front, there]
    await until('all messages', () => both.every((front) => texts(front).length === 2))
    await ground.looked()
    expect(both.map((front) => texts(front).toSorted())).toEqual([
      ['reminder here', 'run here'],
      ['reminder there', 'run there'],
    ])
    const updatesOf = async (id: ChannelID) => (await ground.bough.updates(id)).map(({ text }) => text)
    expect((await updatesOf(here)).toSorted()).toEqual(['reminder here', 'run here'])
    expect((await updatesOf(elsewhere)).toSorted()).toEqual(['reminder there', 'run there'])
  })

  it('interactive forks do not nest: one open at a time in a channel, always branching from main', async () => {
    const ground = await Ground.open()
    const main = await ground.main()
    await ground.fork('first')
    await expect(ground.fork('second')).rejects.toMatchObject({ code: 'fork_open' })
    await ground.say(tool('enter_fork', { topic: 'third' }))
    const { sessionID } = await ground.openFork()
    expect((await ground.results(sessionID)).at(-1)).toContain('Forks do not nest')
    expect(await ground.sideForks()).toHaveLength(1)
    await ground.exit('discard')
    await ground.fork('fourth')
    expect(await ground.bough.session((await ground.openFork()).sessionID)).toMatchObject({ parentID: main })
  })

  it('of two that are asked for at once, by two processes, one is opened', async () => {
    // Who keeps time would do what the other has in hand: here they are one process.
    const ground = await Ground.open({ isUnattended: true })
    const other = await ground.another()
    const asked = await Promise.allSettled([
      ground.fork(),
      other.say(ground.channelID, { kind: 'fork' }),
      ground.fork(),
    ])
    expect(asked.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(await ground.sideForks()).toHaveLength(1)
  })

  it('being main is a pointer of the channel; save moves it', async () => {
    const ground = await Ground.open()
    const old = await ground.main()
    const mains = async () => (await ground.bough.tree(old)).flatMap(({ id, isMain }) => (isMain ? [id] : []))
    expect(await mains()).toEqual([old])
    const before = await ground.bough.session(old)
    await ground.fork()
    const { sessionID } = await ground.openFork()
    expect(await mains()).toEqual([old])
    await ground.exit('save')
    expect(await mains()).toEqual([sessionID])
    expect(await ground.bough.session(old)).toEqual(before)
    expect((await ground.bough.session(sessionID)).kind).toBe('interactive')
  })

  it('background forks run beside it and beside each other, as many as the limit allows (default 4)', async () => {
    const ground = await Ground.open()
    await ground.fork()
    for (const _ of Array(6).keys()) await ground.bough.runBackground(ground.channelID, 'sleep 1')
    const began = async () => (await ground.sideForks()).filter((fork) => fork.began !== null).length
    await until('four runs', async () => (await began()) >= 4)
    await ground.looks()
    expect(await began()).toBe(4)
    await ground.say('beside them')
    ground.release(1)
    for (const { kind, sessionID } of await ground.sideForks())
      if (kind === 'background') expect(await ground.ended(sessionID)).toMatchObject({ outcome: 'finished' })
    expect(await ground.isForkOpen()).toBe(true)
  })
})

describe('entering an interactive fork', () => {
  it('/fork: while a turn runs it waits its place in the queue', async () => {
    const ground = await Ground.open()
    const turn = ground.say('sleep 1')
    await ground.held(1)
    const [forked, said] = [ground.fork('herons'), ground.say('and this')]
    await ground.looks()
    expect(await ground.isForkOpen()).toBe(false)
    ground.release(1)
    await Promise.all([turn, forked, said])
    const { sessionID } = await ground.openFork()
    expect(await ground.prompts(sessionID)).toEqual(['sleep 1', 'herons', 'and this'])
    expect(await ground.prompts(await ground.main())).toEqual(['sleep 1'])
  })

  it('enter_fork: the fork is made after the turn that called it ends', async () => {
    const ground = await Ground.open()
    const turn = ground.say(`${tool('enter_fork', { topic: 'herons', idle_timeout: 3 })}\nsleep 1`)
    await ground.held(1)
    await ground.looks()
    expect(await ground.sideForks()).toEqual([])
    ground.release(1)
    await turn
    const fork = await ground.openFork()
    expect(fork).toMatchObject({ origin: 'agent', topic: 'herons', idleTimeout: 3 })
    const { forkPoint, parentID } = await ground.bough.session(fork.sessionID)
    const main = await ground.main()
    expect([parentID, forkPoint]).toEqual([main, (await ground.messages(main)).at(-1)?.id])
    expect(await ground.lastPrompt(fork.sessionID)).toMatchObject({ text: 'herons' })
  })

  it('enter_fork: it goes before what the person said during that turn', async () => {
    const ground = await Ground.open()
    const turn = ground.say(`${tool('enter_fork')}\nsleep 1`)
    await ground.held(1)
    const said = ground.say('meanwhile')
    ground.release(1)
    await Promise.all([turn, said])
    expect(await ground.lastPrompt((await ground.openFork()).sessionID)).toMatchObject({ text: 'meanwhile' })
  })

  it('enter_fork: the tool’s answer says so; no confirmation is asked, the banner shows it', async () => {
    const ground = await Ground.open()
    await ground.say(tool('enter_fork'))
    await ground.openFork()
    expect(await ground.results(await ground.main())).toEqual([
      expect.stringContaining('A fork begins after this turn'),
    ])
    expect(ground.front.asked).toEqual([])
    expect(await ground.bough.permissions()).toEqual([])
    expect(ground.front.kind('entered')).toEqual([{ kind: 'entered', topic: null, isOpen: true }])
  })

  it('enter_fork: twice in a turn is one fork, and the second call says so', async () => {
    const ground = await Ground.open()
    await ground.say(`${tool('enter_fork', { topic: 'a' })}\n${tool('enter_fork', { topic: 'b' })}`)
    expect(await ground.openFork()).toMatchObject({ topic: 'a' })
    expect((await ground.results(await ground.main())).at(-1)).toContain('in this turn already')
  })

  it('a reply to a message that a background fork sent: the fork starts from that fork’s own session', async () => {
    const ground = await Ground.open()
    const run = await ground.run(tool('ping_user', { text: 'herons are tall' }))
    await ground.reply(await ground.sent('message'), 'how tall?')
    const fork = await ground.openFork()
    expect(fork).toMatchObject({ kind: 'interactive', origin: 'reply' })
    expect(await ground.bough.session(fork.sessionID)).toMatchObject({ parentID: run.sessionID })
    expect(await ground.lastPrompt(fork.sessionID)).toMatchObject({ text: 'how tall?' })
    expect(await ground.sideFork(run.sessionID)).toEqual(run)
  })

  it('a click on an agent button: same, and the button’s prompt is the first message', async () => {
    const ground = await Ground.open()
    const run = await ground.run(embed('count them'))
    await ground.click(await ground.button())
    const fork = await ground.openFork()
    expect(fork).toMatchObject({ kind: 'interactive', origin: 'button' })
    expect(await ground.bough.session(fork.sessionID)).toMatchObject({ parentID: run.sessionID })
    const said = await ground.messages(fork.sessionID)
    const first = said.find((each) => each.sessionID === fork.sessionID)
    expect(first).toMatchObject({ role: 'user', text: '' })
    expect(await ground.contextOfLast(fork.sessionID)).toContain('\n[button] count them\n</bough>')
  })

  it('a resumed fork does not record main as its parent, also where the run failed', async () => {
    const ground = await Ground.open()
    const run = await ground.run('fail no herons here')
    expect(run).toMatchObject({ outcome: 'failed', reason: 'no herons here' })
    await ground.reply(await ground.sent('notice'), 'try again')
    const { sessionID } = await ground.openFork()
    const { parentID } = await ground.bough.session(sessionID)
    expect(parentID).toBe(run.sessionID)
    expect(parentID).not.toBe(await ground.main())
    expect(await ground.prompts(sessionID)).toEqual(['fail no herons here', 'try again'])
  })
})

describe('after entering', () => {
  it('the banner has the topic or none, and comes before the reply', async () => {
    const ground = await Ground.open()
    await ground.fork('herons')
    expect(ground.front.log).toEqual(['entered', 'turn'])
    await ground.exit('discard')
    await ground.fork()
    expect(ground.front.kind('entered').map(({ topic }) => topic)).toEqual(['herons', null])
  })

  it('the banner has its buttons only while the fork is open', async () => {
    const ground = await Ground.open()
    await ground.fork('herons')
    const banner = ground.front.sent[0]
    expect(banner?.what).toEqual({ kind: 'entered', topic: 'herons', isOpen: true })
    await ground.exit('discard')
    expect(ground.front.edited).toEqual([
      { externalID: banner?.externalID, what: { kind: 'entered', topic: 'herons', isOpen: false } },
    ])
  })

  it('the topic goes in as the first message and the reply streams', async () => {
    const ground = await Ground.open()
    await ground.fork('herons')
    const { sessionID } = await ground.openFork()
    const [shown] = ground.front.shown
    expect(shown?.turn.sessionID).toBe(sessionID)
    expect(shown?.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(shown?.messages[0]?.text).toBe('herons')
    expect(shown?.end).toEqual({ outcome: 'finished', reason: null })
  })

  it('without a topic nothing is said until the person says something', async () => {
    const ground = await Ground.open()
    await ground.fork(' ')
    expect(await ground.openFork()).toMatchObject({ topic: null })
    expect(ground.front.shown).toEqual([])
  })

  it('with a topic the agent is told to work on it and not to leave the fork in the same turn', async () => {
    const ground = await Ground.open()
    await ground.fork('herons')
    const context = await ground.contextOfLast((await ground.openFork()).sessionID)
    expect(context).toMatch(/\[fork-started\] .*Work on that, and do not leave the fork in\s+the turn/)
  })

  it.each(['exit_fork', 'save_context', 'report_updates'])(
    'the agent cannot leave a fork with %s in the very turn it was given a topic',
    async (name) => {
      const ground = await Ground.open()
      const leave = tool(name, { message: 'x' })
      await ground.fork(leave)
      const fork = await ground.openFork()
      expect(fork.wish).toBeNull()
      expect(await ground.results(fork.sessionID)).toEqual([expect.stringContaining('work on it first')])
      await ground.say(leave)
      expect(await ground.isForkOpen()).toBe(false)
    },
  )

  it.each(['exit_fork', 'save_context', 'report_updates'])(
    'the agent that opened the fork itself may leave it with %s in the turn of its topic',
    async (name) => {
      const ground = await Ground.open()
      await ground.say(tool('enter_fork', { topic: tool(name, { message: 'x' }) }))
      const [fork] = await ground.sideForks()
      expect(fork).toMatchObject({ origin: 'agent', state: 'ended' })
      expect((await ground.contexts(fork?.sessionID ?? 'ses_'))[0]).not.toContain('do not leave')
    },
  )

  it('without a topic the agent may leave in the first turn', async () => {
    const ground = await Ground.open()
    await ground.fork()
    await ground.say(tool('exit_fork'))
    expect(await ground.isForkOpen()).toBe(false)
  })

  it('the first message to the agent says that it is now in a fork, from where, and how forks end', async () => {
    const ground = await Ground.open()
    await ground.fork()
    await ground.say('one')
    await ground.say('two')
    const [first, second] = await ground.contexts((await ground.openFork()).sessionID)
    expect(first).toContain(
      '[fork-started] You are in a fork of the main conversation now. It ends with save_context, report_updates or exit_fork.',
    )
    expect(second).not.toContain('[fork-started]')
  })

  it('an agent that did not answer the first message is told again', async () => {
    const ground = await Ground.open()
    await ground.fork()
    await ground.say('fail no')
    await ground.say('two')
    expect(await ground.contextOfLast((await ground.openFork()).sessionID)).toContain('[fork-started]')
  })

  it.each([
    ['their reply', 'replied to a message'],
    ['the button’s action', 'clicked a button'],
  ])(
    'a fork resumed from a background run says instead that it continues that run and what the person did: %s',
    async (did, words) => {
      const ground = await Ground.open()
      await ground.run(`${embed('count them')}\n${tool('ping_user', { text: 'look' })}`)
      if (did === 'their reply') await ground.reply(await ground.sent('message'), 'how tall?')
      else await ground.click(await ground.button())
      const context = await ground.contextOfLast((await ground.openFork()).sessionID)
      expect(context).toContain('[fork-started] You go on with what you did here')
      expect(context).toContain(words)
    },
  )

  it('… with no word on leaving: the person has the buttons', async () => {
    const ground = await Ground.open()
    await ground.run(tool('ping_user', { text: 'look' }))
    await ground.reply(await ground.sent('message'), 'how tall?')
    const context = await ground.contextOfLast((await ground.openFork()).sessionID)
    for (const word of ['save_context', 'report_updates', 'exit_fork', 'main conversation now'])
      expect(context).not.toContain(word)
    expect(ground.front.kind('entered')).toMatchObject([{ isOpen: true }])
  })

  it('notes to the agent are tagged and kept as context parts, so front ends do not show them as the person’s words', async () => {
    const ground = await Ground.open()
    await ground.fork()
    const { sessionID } = await ground.openFork()
    ground.pass(11)
    await until('the question', async () => (await ground.openFork()).promptedAt)
    await ground.looked()
    expect(await ground.contextOfLast(sessionID)).toMatch(/\[fork-started\].*\[fork-timeout\]/s)
    await ground.exit('report')
    expect(await ground.contextOfLast(sessionID)).toContain('[button]')
    expect(await ground.prompts(sessionID)).toEqual(['', ''])
    for (const { messages } of ground.front.shown) expect(messages[0]?.text).toBe('')
  })

  it('asking for a fork when one is open: a refusal that only the asker sees: “already in a fork”', async () => {
    const ground = await Ground.open()
    await ground.fork()
    const [before, sent] = [await ground.openFork(), ground.front.sent.length]
    await expect(ground.fork('another')).rejects.toThrow('You are already in a fork')
    expect(ground.front.sent).toHaveLength(sent)
    expect(ground.front.shown).toEqual([])
    expect((await ground.openFork()).sessionID).toBe(before.sessionID)
  })
})
