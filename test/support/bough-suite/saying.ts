import { describe, expect, it } from 'vitest'
import type { SessionID } from '../../../src/tree/ids.ts'
import type { InboxItem } from '../../../src/tree/inbox.ts'
import type { Turn } from '../../../src/tree/turn.ts'
import { inLine } from '../in-line.ts'
import { type OpenGround, refused, unknown } from './ground.ts'
import { Chat, openTalk } from './talk.ts'

const enough = new Error('enough')
const card = { title: 'Herons', body: 'There are some.', buttons: [{ label: 'Count', prompt: 'count them' }] }

export const saying = (open: OpenGround) =>
  describe('what is said in a channel', () => {
    it('goes to main, else to the open fork; its turn is told as it begins and shown by who asks for that', async () => {
      const ground = await open()
      const { does, say, mainID, openFork, prompts } = await openTalk(ground)
      const began: Turn[] = []
      const shown: { turn: Turn; item: InboxItem; ended: string }[] = []
      await say('to main', {
        began: (turn) => void began.push(turn),
        async show(turn, item) {
          shown.push({ turn, item, ended: (await turn.ended).outcome })
        },
      })
      expect(began).toMatchObject([{ sessionID: mainID, prompt: { text: 'to main' } }])
      expect(shown).toMatchObject([
        {
          turn: { id: began[0]?.id },
          item: { what: { kind: 'message', text: 'to main' } },
          ended: 'finished',
        },
      ])
      expect(await Array.fromAsync(began[0]?.events ?? [])).toContainEqual({
        ...{ type: 'ended', end: { outcome: 'finished', reason: null } },
      })
      await does({ kind: 'fork' })
      const forkID = await openFork()
      await say('to the fork')
      expect([await prompts(mainID), await prompts(forkID)]).toEqual([
        ['to main'],
        ['to main', 'to the fork'],
      ])
    })

    it('is not done before its turn is shown; but the turn goes on when that fails', async () => {
      const ground = await open()
      const { say } = await openTalk(ground)
      const showing = Promise.withResolvers<void>()
      const begun = Promise.withResolvers<Turn>()
      let isDone = false
      const show = (turn: Turn) => {
        begun.resolve(turn)
        return showing.promise
      }
      const saying = say('hello', { show }).then(() => {
        isDone = true
      })
      await (await begun.promise).ended
      await ground.bough.sessions()
      expect(isDone).toBe(false)
      showing.resolve()
      await saying
      const failing = async () => {
        throw new Error('The chat is gone.')
      }
      await say('again', { show: failing })
      const throwing = () => {
        throw new Error('The chat is gone.')
      }
      await say('once more', { show: throwing, began: throwing })
    })

    it('is done one after the other, also when a turn fails', async () => {
      const ground = await open()
      const { channelID, say, mainID, prompts } = await openTalk(ground)
      const first = say('sleep 1')
      await ground.agent.held(1)
      const second = say('fail boom')
      await inLine(ground.home, channelID, 2)
      expect(await ground.bough.waiting(channelID)).toMatchObject([
        { state: 'waiting', what: { kind: 'message', text: 'fail boom' } },
      ])
      ground.agent.release(1)
      await Promise.all([first, second])
      expect(await ground.bough.waiting(channelID)).toEqual([])
      expect(await prompts(mainID)).toEqual(['sleep 1', 'fail boom'])
      expect(await ground.bough.pending()).toBe(0)
    })

    it('is refused where it makes no sense', async () => {
      const ground = await open()
      const { does, say, channelID, openFork } = await openTalk(ground)
      await refused(say(''), 'bad_input')
      await refused(does({ kind: 'fork', idleTimeout: 0 }), 'bad_input')
      await refused(ground.bough.say(unknown.channel, { kind: 'message', text: 'x' }), 'not_found')
      await refused(ground.bough.waiting(unknown.channel), 'not_found')
      await refused(does({ kind: 'exit', action: 'save', forkID: unknown.session }), 'not_found')
      await refused(does({ kind: 'click', inquiryID: unknown.inquiry }), 'not_found')
      await does({ kind: 'fork' })
      const forkID = await openFork()
      await refused(does({ kind: 'fork' }), 'fork_open')
      await does({ kind: 'exit', action: 'discard', forkID })
      await refused(does({ kind: 'exit', action: 'discard', forkID }), 'fork_ended')
      expect((await ground.bough.channel(channelID)).openForkID).toBeNull()
    })

    it('is withdrawn before it begins: nothing is sent', async () => {
      const ground = await open()
      const { channelID, say, mainID, prompts } = await openTalk(ground)
      await expect(say('never', { signal: AbortSignal.abort(enough) })).rejects.toThrow()
      const first = say('sleep 1')
      await ground.agent.held(1)
      const stop = new AbortController()
      const began: Turn[] = []
      const second = say('second', { signal: stop.signal, began: (turn) => void began.push(turn) })
      const settled = expect(second).rejects.toThrow('enough')
      await inLine(ground.home, channelID, 2)
      stop.abort(enough)
      await settled
      ground.agent.release(1)
      await first
      await say('third')
      expect([await prompts(mainID), began]).toEqual([['sleep 1', 'third'], []])
    })

    it('is interrupted when it is given up while its turn runs, which is no error', async () => {
      const ground = await open()
      const { say, mainID } = await openTalk(ground)
      const stop = new AbortController()
      const begun = Promise.withResolvers<Turn>()
      const saying = say('sleep 1', { signal: stop.signal, began: begun.resolve })
      await ground.agent.held(1)
      stop.abort(enough)
      await saying
      expect(await (await begun.promise).ended).toMatchObject({ outcome: 'interrupted' })
      expect((await ground.bough.session(mainID)).state).toBe('idle')
    })

    it('under an id of the chat is said once, and whoever says it hears when it is taken', async () => {
      const ground = await open()
      const { channelID, prompts, mainID } = await openTalk(ground)
      const heard: string[] = []
      const saying = { taken: () => void heard.push('taken'), began: () => void heard.push('began') }
      const what = { kind: 'message', text: 'herons', externalID: '1001' } as const
      await ground.bough.say(channelID, what, saying)
      await ground.bough.say(channelID, what, saying)
      expect(heard).toEqual(['taken', 'began', 'taken'])
      expect(await prompts(mainID)).toEqual(['herons'])
      expect(await ground.bough.channel(channelID)).toMatchObject({ lastHeard: '1001' })
    })

    it('tells which fork it has opened', async () => {
      const ground = await open()
      const { does, openFork } = await openTalk(ground)
      const entered: SessionID[] = []
      const saying = { entered: (forkID: SessionID) => void entered.push(forkID) }
      await does({ kind: 'fork' }, saying)
      const first = await openFork()
      expect(entered).toEqual([first])
      await does({ kind: 'exit', action: 'discard', forkID: first }, saying)
      await does({ kind: 'fork', topic: 'herons' }, saying)
      expect(entered).toEqual([first, await openFork()])
    })

    it('in reply to what a fork has sent goes on with that fork', async () => {
      const ground = await open()
      const { does, channelID, openFork, prompts, mainID } = await openTalk(ground)
      await does({ kind: 'fork', topic: 'herons' })
      const forkID = await openFork()
      await ground.bough.link(channelID, 'chat-7', forkID)
      // Nothing of main's, or of nobody's, can be gone on with.
      await ground.bough.link(channelID, 'chat-8', mainID)
      await ground.bough.link(channelID, 'chat-9', unknown.session)
      await does({ kind: 'exit', action: 'discard', forkID })
      const replyTo = { externalID: 'chat-7', text: 'about herons' }
      await does({ kind: 'message', text: 'go on', replyTo })
      const again = await openFork()
      expect((await ground.bough.session(again)).parentID).toBe(forkID)
      expect(await prompts(again)).toEqual(['herons', 'go on'])
      const told: string[] = []
      await does({ kind: 'message', text: 'and on', replyTo }, { tell: (words) => void told.push(words) })
      expect(told).toEqual([expect.stringContaining('You are in a fork')])
      expect(await prompts(mainID)).toEqual([])
    })

    it('may be a click on a button that an agent has sent', async () => {
      const ground = await open()
      const { does, say, channelID, mainID, prompts } = await openTalk(ground)
      const chat = new Chat()
      await ground.bough.attend(channelID, chat)
      await say(`tool send_embed ${JSON.stringify(card)}`)
      const { what } = await chat.sentOf('embed')
      expect(what).toMatchObject({ title: 'Herons', body: 'There are some.', buttons: [{ label: 'Count' }] })
      const inquiryID = what.buttons[0]?.inquiryID ?? unknown.inquiry
      await does({ kind: 'click', inquiryID })
      expect(await prompts(mainID)).toHaveLength(2)
      await refused(does({ kind: 'click', inquiryID }), 'bad_input')
      const other = await ground.bough.openChannel(
        { frontEnd: 'test', key: 'other' },
        { directory: ground.directory },
      )
      await refused(ground.bough.say(other.id, { kind: 'click', inquiryID }), 'bad_input')
    })
  })
