import { setImmediate as nextTick } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { count, seed } from '../../test/support/size.ts'
import { Broadcast } from '../tree/broadcast.ts'
import type { MessageID } from '../tree/ids.ts'
import type { Message, Part } from '../tree/message.ts'
import type { TurnEnd, TurnEvent } from '../tree/turn.ts'
import { type LiveEvent, LiveTurn } from './live-turn.ts'

const end: TurnEnd = { outcome: 'finished', reason: null }

const message = (id: MessageID, parts: readonly Part[] = []): Message => ({
  ...{ id, sessionID: 'ses_1', seq: 1, role: 'assistant', text: '', parts, status: 'complete' },
  ...{ nativeID: null, usage: null, snapshot: null, created: 0 },
})

const says = (text: string, messageID: MessageID = 'msg_1'): TurnEvent => ({ type: 'text', messageID, text })
const joins = (id: MessageID): TurnEvent => ({ type: 'message', message: message(id) })

function newLive() {
  const events = new Broadcast<TurnEvent>()
  const told: LiveEvent[] = []
  const turn = { id: 'trn_1', sessionID: 'ses_1', prompt: message('msg_0'), events } as const
  const live = new LiveTurn({ ...turn, ended: Promise.resolve(end) }, (event) => void told.push(event))
  return { events, told, live, over: live.follow(events) }
}

test('what comes in one go is gathered: one event for each part', async () => {
  const { events, told, over } = newLive()
  const call = { type: 'tool-call', callID: 'call_1', name: 'run', args: {} } as const
  const said: TurnEvent[] = [
    ...[says('a'), says('b')],
    { type: 'reasoning', messageID: 'msg_1', text: 'c' },
    { type: 'reasoning', messageID: 'msg_1', text: 'd' },
    ...[says('e'), says('f')],
    { type: 'tool-call', messageID: 'msg_1', call },
    { type: 'notice', text: 'Look.' },
  ]
  for (const event of said) events.emit(event)
  await nextTick()
  await nextTick()
  expect(told).toEqual([
    says('ab'),
    { type: 'reasoning', messageID: 'msg_1', text: 'cd' },
    says('ef'),
    { type: 'tool-call', messageID: 'msg_1', call },
    { type: 'notice', text: 'Look.' },
  ])
  events.end()
  await over
})

test('the draft is what the message that streams has so far, and is gone with it', async () => {
  const { events, live, over } = newLive()
  const result = { type: 'tool-result', callID: 'call_1', name: 'run', output: 'o', exitCode: 0 } as const
  expect(live.draft).toBeNull()
  for (const event of [says('a'), says('b')]) events.emit(event)
  await nextTick()
  expect(live.draft).toEqual({
    messageID: 'msg_1',
    role: 'assistant',
    parts: [{ type: 'text', text: 'ab' }],
  })
  events.emit(joins('msg_1'))
  await nextTick()
  expect(live.draft).toBeNull()
  events.emit({ type: 'tool-result', messageID: 'msg_2', result })
  events.emit(says('and', 'msg_2'))
  await nextTick()
  expect(live.draft).toEqual({
    messageID: 'msg_2',
    role: 'tool',
    parts: [result, { type: 'text', text: 'and' }],
  })
  events.end()
  await over
})

test('of a turn that is followed late, only the message that still streams is told', async () => {
  const { events, told, over } = newLive()
  for (const event of [says('a'), joins('msg_1'), says('b', 'msg_2'), joins('msg_2'), says('c', 'msg_3')])
    events.emit(event)
  events.end()
  await over
  expect(told).toEqual([says('c', 'msg_3')])
})

interface Watcher {
  readonly from: number
  readonly draft: readonly Part[]
  readonly messageID: MessageID | null
}

test('Whenever somebody comes: the draft and what follows are all of a message, or nothing of it is told', async () => {
  const piece = fc.record({
    type: fc.constantFrom('text' as const, 'reasoning' as const),
    text: fc.string({ minLength: 1, maxLength: 3 }),
    /** What happens after it. */
    next: fc.constantFrom('nothing', 'nothing', 'tick', 'watch', 'finish'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 25 }), async (pieces) => {
      const { events, told, live, over } = newLive()
      const watchers: Watcher[] = [{ from: 0, draft: [], messageID: null }]
      const whole = new Map<MessageID, Part[]>()
      let number = 1
      for (const { type, text, next } of pieces) {
        const messageID: MessageID = `msg_${number}`
        events.emit({ type, messageID, text })
        whole.set(messageID, withText(whole.get(messageID) ?? [], type, text))
        if (next === 'tick') await nextTick()
        if (next === 'watch') {
          live.flush()
          const { draft } = live
          watchers.push({ from: told.length, draft: draft?.parts ?? [], messageID: draft?.messageID ?? null })
        }
        if (next !== 'finish') continue
        events.emit({ type: 'message', message: message(messageID) })
        number++
      }
      events.end()
      await over
      for (const { from, draft, messageID } of watchers) {
        const seen = new Map<MessageID, Part[]>(messageID ? [[messageID, [...draft]]] : [])
        for (const event of told.slice(from))
          if (event.type === 'text' || event.type === 'reasoning')
            seen.set(event.messageID, withText(seen.get(event.messageID) ?? [], event.type, event.text))
        for (const [id, parts] of seen) expect(parts).toEqual(whole.get(id))
      }
    }),
    { numRuns: count(3000, 200), seed: seed() },
  )
})

function withText(parts: readonly Part[], type: 'text' | 'reasoning', text: string): Part[] {
  const last = parts.at(-1)
  return last?.type === type
    ? [...parts.slice(0, -1), { type, text: last.text + text }]
    : [...parts, { type, text }]
}
