import { describe, expect, it } from 'vitest'
import type { Bough } from '../../../src/bough.ts'
import type { SessionID } from '../../../src/tree/ids.ts'
import type { Message } from '../../../src/tree/message.ts'
import type { Turn, TurnEvent } from '../../../src/tree/turn.ts'
import { commandRuns, endCommands, runUntilTold, tellToEnd } from '../commands.ts'
import { Host } from '../host.ts'
import { until } from '../until.ts'
import { type OpenGround, refused, unknown } from './ground.ts'

const enough = new Error('enough')

export const turns = (open: OpenGround) =>
  describe('a turn', () => {
    it('begins with its prompt and tells what happens, from the beginning, to whoever reads', async () => {
      const { bough, session } = await open()
      const id = await session()
      const turn = await bough.send(id, 'hello\nwrite a.txt: a')
      expect(turn).toMatchObject({ sessionID: id, prompt: { role: 'user', text: 'hello\nwrite a.txt: a' } })
      const events = await Array.fromAsync(turn.events)
      expect(await turn.ended).toEqual({ outcome: 'finished', reason: null })
      expect(await Array.fromAsync(turn.events)).toEqual(events)
      expect(events.map(({ type }) => type).filter((type, i, all) => type !== all[i - 1])).toEqual([
        ...['message', 'tool-call', 'message', 'tool-result', 'message', 'text', 'message', 'ended'],
      ])
      expect(messagesIn(events)).toEqual(plain(await bough.messages(id)))
      expect(textIn(events)).toBe((await bough.messages(id)).at(-1)?.text)
    })

    it('that fails, or whose agent does, says why', async () => {
      const { bough, session } = await open()
      const turn = await bough.send(await session(), 'fail boom')
      expect(await turn.ended).toEqual({ outcome: 'failed', reason: expect.stringContaining('boom') })
    })

    it('without words, or in a session that is not there, is refused', async () => {
      const { bough, session } = await open()
      const id = await session()
      await refused(bough.send(id, ''), 'bad_input')
      await refused(bough.send(id, ' \n'), 'bad_input')
      await refused(bough.send(id, 'x'.repeat(8_000_001)), 'bad_input')
      await refused(bough.send(unknown.session, 'hello'), 'not_found')
      expect(await bough.messages(id)).toEqual([])
    })

    it('waits for its place while another runs', async () => {
      const { bough, session, agent } = await open()
      const id = await session()
      const first = await bough.send(id, 'sleep 1')
      await agent.held(1)
      const second = bough.send(id, 'second')
      agent.release(1)
      await (await second).ended
      await first.ended
      expect(await promptsOf(bough, id)).toEqual(['sleep 1', 'second'])
    })

    it('that is given up before it was asked for, or while it waits, is never sent', async () => {
      const { bough, session, agent } = await open()
      const id = await session()
      await expect(bough.send(id, 'first', { signal: AbortSignal.abort(enough) })).rejects.toThrow('enough')
      const held = await bough.send(id, 'sleep 1')
      await agent.held(1)
      const stop = new AbortController()
      const sending = bough.send(id, 'second', { signal: stop.signal })
      const atOnce = new AbortController()
      const sendingToo = bough.send(id, 'at once', { signal: atOnce.signal })
      atOnce.abort(enough)
      await expect(sendingToo).rejects.toThrow('enough')
      // By now the first most likely waits; but whether it does or not, it must never be sent.
      await bough.session(id)
      stop.abort(enough)
      await expect(sending).rejects.toThrow('enough')
      agent.release(1)
      expect(await held.ended).toMatchObject({ outcome: 'finished' })
      await (await bough.send(id, 'third')).ended
      expect(await promptsOf(bough, id)).toEqual(['sleep 1', 'third'])
    })

    it('that is given up while it runs is interrupted, and stored as such', async () => {
      const { bough, session, agent } = await open()
      const id = await session()
      const stop = new AbortController()
      const turn = await bough.send(id, 'words 5\nsleep 1', { signal: stop.signal })
      await agent.held(1)
      stop.abort(enough)
      expect(await turn.ended).toMatchObject({ outcome: 'interrupted' })
      expect((await bough.messages(id)).map(({ status }) => status)).toContain('interrupted')
      expect(await bough.session(id)).toMatchObject({ state: 'idle' })
    })

    it('is not touched by a signal that comes after its end', async () => {
      const { bough, session } = await open()
      const id = await session()
      const stop = new AbortController()
      const turn = await bough.send(id, 'hello', { signal: stop.signal })
      await turn.ended
      stop.abort(enough)
      expect(await (await bough.send(id, 'again')).ended).toMatchObject({ outcome: 'finished' })
    })

    it('is interrupted by whoever asks for that', async () => {
      const { bough, session, agent, another } = await open()
      const id = await session()
      expect(await bough.abort(id)).toBe(false)
      const turn = await bough.send(id, 'sleep 1')
      await agent.held(1)
      expect(await bough.abort(id)).toBe(true)
      expect(await turn.ended).toMatchObject({ outcome: 'interrupted' })
      const elsewhere = await (await another()).send(await session(), 'sleep 2')
      await agent.held(2)
      expect(await bough.abort(elsewhere.sessionID)).toBe(true)
      expect(await elsewhere.ended).toMatchObject({ outcome: 'interrupted' })
      await refused(bough.abort(unknown.session), 'not_found')
    })

    it('is followed while it runs, and afterwards where it is named', async () => {
      const { bough, session, agent } = await open()
      const id = await session()
      expect(await bough.follow(id)).toBeNull()
      const turn = await bough.send(id, 'words 5\nsleep 1')
      await agent.held(1)
      const followed = await bough.follow(id)
      expect(followed).toMatchObject({ id: turn.id, sessionID: id, prompt: { id: turn.prompt.id } })
      const reading = readAll(followed)
      agent.release(1)
      const events = await Array.fromAsync(turn.events)
      const read = await reading
      expect([textIn(read), messagesIn(read), read.at(-1)]).toEqual([
        ...[textIn(events), messagesIn(events), events.at(-1)],
      ])
      expect(await bough.follow(id)).toBeNull()
      const over = await bough.follow(id, turn.id)
      expect(messagesIn(await readAll(over))).toEqual(messagesIn(events))
      expect(await over?.ended).toEqual({ outcome: 'finished', reason: null })
      expect(await bough.follow(id, unknown.turn)).toBeNull()
      expect(await bough.follow(await session(), turn.id)).toBeNull()
      await refused(bough.follow(unknown.session), 'not_found')
    })

    it('is followed when it runs in another process', async () => {
      const { bough, session, home, directory } = await open()
      const id = await session()
      const host = await Host.open(home)
      const hosted = host.send(id, `words 5\n${runUntilTold}`)
      const { turnID } = await hosted.stored()
      const turn = await until('the turn', () => bough.follow(id))
      expect(turn.id).toBe(turnID)
      const reading = readAll(turn)
      try {
        await commandRuns(directory)
        await tellToEnd(directory)
      } finally {
        await endCommands(directory)
      }
      const read = await reading
      expect(await turn.ended).toEqual({ outcome: 'finished', reason: null })
      expect(messagesIn(read)).toEqual(plain(await bough.messages(id)))
      await hosted.ended()
      expect(await bough.follow(id)).toBeNull()
    })

    it('finds its agent open when somebody has begun to type; warming never fails', async () => {
      const { bough, session, scripted, directory } = await open()
      const { id } = await bough.create({ directory, agent: 'scripted' })
      await bough.warm(id)
      expect(scripted.starts).toHaveLength(1)
      await (await bough.send(id, 'hello')).ended
      expect(scripted.starts).toHaveLength(1)
      await bough.warm(unknown.session)
      await bough.warm(await session())
    })
  })

const promptsOf = async (bough: Bough, id: SessionID): Promise<readonly string[]> =>
  (await bough.messages(id)).filter(({ role }) => role === 'user').map(({ text }) => text)

const readAll = async (turn: Turn | null): Promise<readonly TurnEvent[]> =>
  turn ? Array.fromAsync(turn.events) : []

// Without the snapshots: those are noted a little later than the message is told.
const messagesIn = (events: readonly TurnEvent[]) =>
  plain(events.flatMap((event) => (event.type === 'message' ? [event.message] : [])))

const plain = (messages: readonly Message[]) => messages.map(({ snapshot: _, ...message }) => message)

const textIn = (events: readonly TurnEvent[]): string =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('')
