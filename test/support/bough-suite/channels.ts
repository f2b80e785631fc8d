import { describe, expect, it } from 'vitest'
import { until } from '../until.ts'
import { type OpenGround, refused, unknown } from './ground.ts'
import { Chat, openTalk } from './talk.ts'

export const channels = (open: OpenGround) =>
  describe('a channel', () => {
    it('is opened by its key, and is the same the next time', async () => {
      const { bough, directory, session } = await open()
      const made = await bough.openChannel(
        { frontEnd: 'test', key: 'a b/ü' },
        { directory, title: 'Main', labels: ['x'] },
      )
      expect(made).toMatchObject({ frontEnd: 'test', key: 'a b/ü', openForkID: null })
      expect(await bough.session(made.mainID)).toMatchObject({ title: 'Main', labels: ['x'], directory })
      expect(await bough.openChannel({ frontEnd: 'test', key: 'a b/ü' })).toEqual(made)
      const mainID = await session()
      const other = await bough.openChannel({ frontEnd: 'test', key: 'other', mainID })
      expect(other.mainID).toBe(mainID)
      expect(await bough.channels()).toEqual([made, other])
      expect(await bough.channel(other.id)).toEqual(other)
      await refused(bough.channel(unknown.channel), 'not_found')
      await refused(bough.openChannel({ frontEnd: 'test', key: 'x', mainID: unknown.session }), 'not_found')
      await refused(
        bough.openChannel({ frontEnd: 'test', key: 'x' }, { directory, agent: 'nobody' }),
        'agent_unknown',
      )
    })

    it('makes one main for a channel that several open at once', async () => {
      const { bough, directory } = await open()
      const place = { frontEnd: 'test', key: 'at once' }
      const title = 'opened at once'
      const opened = await Promise.all([1, 2, 3].map(() => bough.openChannel(place, { directory, title })))
      expect(new Set(opened.map(({ id }) => id)).size).toBe(1)
      expect((await bough.sessions({ q: title })).map(({ id }) => id)).toEqual([opened[0]?.mainID])
    })

    it('is found by its main, and made where there is none', async () => {
      const { bough, session } = await open()
      const id = await session()
      const made = await bough.channelOf(id)
      expect(made.mainID).toBe(id)
      expect(await bough.channelOf(id)).toEqual(made)
      await refused(bough.channelOf(unknown.session), 'not_found')
    })

    it('takes another session as its main: what is said goes there, and what was main stays', async () => {
      const ground = await open()
      const { bough } = ground
      const { channelID, mainID, say, prompts } = await openTalk(ground)
      await say('hello')
      const fork = await bough.fork(mainID)
      expect(await bough.promote(channelID, fork.id)).toMatchObject({ id: channelID, mainID: fork.id })
      expect(await bough.promote(channelID, fork.id)).toMatchObject({ mainID: fork.id })
      await say('and on')
      expect(await prompts(fork.id)).toEqual(['hello', 'and on'])
      expect(await prompts(mainID)).toEqual(['hello'])
      expect(await bough.promote(channelID, mainID)).toMatchObject({ mainID })
    })

    it('tells a session that becomes main what forks reported, unless that knows it', async () => {
      const ground = await open()
      const { bough } = ground
      const { channelID, mainID, does, openFork } = await openTalk(ground)
      const other = await ground.session()
      await does({ kind: 'fork' })
      const forkID = await openFork()
      await bough.exit(forkID, { action: 'report', text: 'Herons came.' })
      await bough.promote(channelID, other)
      expect(await bough.updates(channelID)).toMatchObject([{ text: 'Herons came.' }])
      await bough.promote(channelID, mainID)
      await bough.promote(channelID, forkID)
      expect(await bough.updates(channelID)).toHaveLength(1)
    })

    it('keeps its main while a fork is open there, or a turn runs in main', async () => {
      const ground = await open()
      const { bough, agent } = ground
      const { channelID, mainID, does, openFork } = await openTalk(ground)
      const other = await ground.session()
      await does({ kind: 'fork' })
      const forkID = await openFork()
      const elsewhere = await bough.channelOf(other)
      await refused(bough.promote(channelID, other), 'fork_open')
      await refused(bough.promote(elsewhere.id, forkID), 'fork_open')
      await bough.exit(forkID, { action: 'discard' })
      const turn = await bough.send(mainID, 'sleep 1')
      await agent.held(1)
      await refused(bough.promote(channelID, other), 'session_busy')
      agent.release(1)
      await turn.ended
      expect(await bough.promote(channelID, forkID)).toMatchObject({ mainID: forkID })
      await refused(bough.promote(unknown.channel, other), 'not_found')
      await refused(bough.promote(channelID, unknown.session), 'not_found')
    })

    it('is left and shown again at once, as often as somebody likes', async () => {
      const { bough, session } = await open()
      const { id } = await bough.channelOf(await session())
      for (let i = 0; i < 10; i++) await (await bough.attend(id, new Chat()))()
      const last = new Chat()
      await bough.attend(id, last)
      await bough.say(id, { kind: 'fork' })
      await until('the banner', () => last.sent.length > 0)
    })

    it('is shown by the front end that came last, as long as that wants', async () => {
      const ground = await open()
      const { bough } = ground
      const { channelID, say } = await openTalk(ground)
      const [first, second] = [new Chat(), new Chat()]
      await bough.attend(channelID, first)
      const leave = await bough.attend(channelID, second)
      await say('hello')
      expect([first.shown.length, second.shown.length]).toEqual([0, 1])
      await leave()
      // That somebody has left is seen a moment later, where that is far away.
      await until('the first to show a turn', async () => {
        await say('again')
        return first.shown.length > 0
      })
      expect(second.shown).toHaveLength(1)
      await refused(bough.attend(unknown.channel, new Chat()), 'not_found')
    })

    it('shows the turns that are begun in it, with what began them', async () => {
      const ground = await open()
      const { channelID, mainID, say } = await openTalk(ground)
      const chat = new Chat()
      await ground.bough.attend(channelID, chat)
      await say('hello')
      expect(chat.shown).toMatchObject([
        {
          turn: { sessionID: mainID, prompt: { text: 'hello' } },
          item: { what: { text: 'hello' } },
          outcome: 'finished',
        },
      ])
      await say('fail boom')
      expect(chat.shown.map(({ outcome }) => outcome)).toEqual(['finished', 'failed'])
    })

    it('shows the banners of a fork, and edits the first when it has ended', async () => {
      const ground = await open()
      const { channelID, mainID, does, openFork } = await openTalk(ground)
      const chat = new Chat()
      await ground.bough.attend(channelID, chat)
      await does({ kind: 'fork', topic: 'herons', idleTimeout: 5 })
      const forkID = await openFork()
      const entered = await chat.sentOf('entered')
      expect(entered).toMatchObject({ what: { topic: 'herons', isOpen: true }, sessionID: forkID })
      expect(chat.shown).toMatchObject([{ turn: { sessionID: forkID, prompt: { text: 'herons' } } }])
      await does({ kind: 'exit', action: 'discard', forkID })
      expect((await chat.sentOf('ended')).what).toMatchObject({ outcome: 'discarded' })
      await until('the banner to be edited', () => chat.edited.length > 0)
      expect(chat.edited).toEqual([
        { externalID: entered.externalID, what: { kind: 'entered', topic: 'herons', isOpen: false } },
      ])
      expect(await ground.bough.channel(channelID)).toMatchObject({ mainID, openForkID: null })
      const sent = await ground.bough.sent(channelID)
      expect(sent.map(({ what, state, externalID }) => [what.kind, state, externalID])).toEqual([
        ['entered', 'sent', 'm1'],
        ['ended', 'sent', 'm2'],
      ])
      expect(await ground.bough.sent(channelID, 1)).toEqual(sent.slice(1))
      await refused(ground.bough.sent(unknown.channel), 'not_found')
    })

    it('shows what has waited for somebody to show it', async () => {
      const ground = await open()
      const { channelID, say, mainID } = await openTalk(ground)
      await say('hello')
      const [waits] = await ground.bough.sent(channelID)
      expect(waits).toMatchObject({ state: 'waiting', sessionID: mainID, externalID: null })
      const chat = new Chat()
      await ground.bough.attend(channelID, chat)
      expect((await chat.sentOf('message')).what).toEqual(waits?.what)
    })

    it('keeps what is sent there for the front end that it belongs to, whoever else shows its turns', async () => {
      const ground = await open()
      const { channelID, does, openFork } = await openTalk(ground)
      const guest = Object.assign(new Chat(), { isGuest: true })
      await ground.bough.attend(channelID, guest)
      await does({ kind: 'fork', topic: 'herons' })
      expect(guest.shown).toMatchObject([{ turn: { prompt: { text: 'herons' } } }])
      expect(await ground.bough.sent(channelID)).toMatchObject([{ state: 'waiting', externalID: null }])
      const chat = new Chat()
      await ground.bough.attend(channelID, chat)
      await does({ kind: 'exit', action: 'discard', forkID: await openFork() })
      const { externalID } = await chat.sentOf('entered')
      await chat.sentOf('ended')
      await until('the banner to be edited', () => chat.edited.length > 0)
      expect(chat.edited).toMatchObject([{ externalID }])
      expect([guest.sent, guest.edited]).toEqual([[], []])
    })

    it('tries again to show what could not be shown, under the same id', async () => {
      const ground = await open()
      const { channelID, say } = await openTalk(ground)
      await say('hello')
      const chat = new Chat()
      const tried: string[] = []
      await ground.bough.attend(channelID, {
        show: (turn, item) => chat.show(turn, item),
        edit: (externalID, what) => chat.edit(externalID, what),
        ask: (permission, signal) => chat.ask(permission, signal),
        // Not async: so it throws, where others would reject.
        send(what, id, sessionID) {
          tried.push(id)
          if (tried.length === 1) throw new Error('The chat is not there.')
          return chat.send(what, id, sessionID)
        },
      })
      await chat.sentOf('message')
      expect(tried).toHaveLength(2)
      expect(new Set(tried).size).toBe(1)
    })

    it('asks what a turn wants that is not shown there, and takes that back when it is answered', async () => {
      const ground = await open({ config: {} })
      const { bough } = ground
      const { channelID, mainID } = await openTalk(ground)
      const chat = new Chat()
      await bough.attend(channelID, chat)
      const turn = await bough.send(mainID, 'run true')
      const { permission, signal } = await until('it to be asked', () => chat.asked[0])
      expect(permission).toMatchObject({ sessionID: mainID, tool: 'run', detail: 'true', state: 'asked' })
      expect(signal.aborted).toBe(false)
      await bough.answer(permission.id, { allow: true })
      await until('it to be withdrawn', () => signal.aborted)
      expect(await turn.ended).toMatchObject({ outcome: 'finished' })
      expect(chat.asked).toHaveLength(1)
    })

    it('takes back what it asks also from one who has not answered yet', async () => {
      const ground = await open({ config: {} })
      const { bough } = ground
      const { channelID, mainID } = await openTalk(ground)
      const chat = new Chat()
      const withdrawn = Promise.withResolvers<void>()
      await bough.attend(channelID, {
        show: (turn, item) => chat.show(turn, item),
        send: (what, id, sessionID) => chat.send(what, id, sessionID),
        edit: (externalID, what) => chat.edit(externalID, what),
        async ask(permission, signal) {
          signal.addEventListener('abort', () => withdrawn.resolve())
          await chat.ask(permission, signal)
          await withdrawn.promise
        },
      })
      const turn = await bough.send(mainID, 'run true')
      await until('it to be asked', () => chat.asked[0])
      await bough.abort(mainID)
      await withdrawn.promise
      expect(await turn.ended).toMatchObject({ outcome: 'interrupted' })
    })
  })
