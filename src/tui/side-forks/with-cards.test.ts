import { expect, it } from 'vitest'
import { cutOffWords } from '../../tree/cut-off-words.ts'
import type { Message } from '../../tree/message.ts'
import type { CardEntry, Entry, MessageEntry } from '../transcript/entry.ts'
import { rememberedWithCards, withCards } from './with-cards.ts'

const said = (role: Message['role'], time: string, text: string): MessageEntry => ({
  kind: 'message',
  key: `msg_${time}`,
  order: 0,
  results: [],
  message: {
    ...{ id: `msg_${time}`, sessionID: 'ses_1', seq: 1, role, text, status: 'complete', created: 0 },
    ...{ parts: [{ type: 'text', text }], usage: null, snapshot: null, nativeID: null },
  },
})

const card = (at: string, text: string): CardEntry => ({
  kind: 'card',
  key: `out_${at}`,
  what: { kind: 'message', text },
  sessionID: 'ses_2',
  from: 'a run',
  at,
  used: [],
})

const order = (entries: readonly Entry[]): readonly string[] => entries.map(({ key }) => key)

const talk = [
  said('user', '02', 'hello'),
  said('assistant', '04', 'Hi.'),
  said('assistant', '06', 'And you?'),
]

it('what was sent stands where it came, in the order of time', () => {
  const entries = withCards(talk, [card('05', 'b'), card('03', 'a'), card('07', 'c')], false)
  expect(order(entries)).toEqual(['msg_02', 'out_03', 'msg_04', 'out_05', 'msg_06', 'out_07'])
})

it('what was sent before the oldest message that is loaded is not shown until that is the first', () => {
  expect(order(withCards(talk, [card('01', 'a')], true))).toEqual(['msg_02', 'msg_04', 'msg_06'])
  expect(order(withCards(talk, [card('01', 'a')], false))).toEqual(['out_01', 'msg_02', 'msg_04', 'msg_06'])
})

it('what the agent said in a turn of another process is not shown a second time', () => {
  expect(order(withCards(talk, [card('07', 'Hi.\n\nAnd you?')], false))).toEqual(order(talk))
  expect(order(withCards(talk, [card('07', 'Hi.')], false))).toEqual([...order(talk), 'out_07'])
})

it('a turn that was cut off is told by the tree alone, where it is shown', () => {
  const notice = (sessionID: CardEntry['sessionID'], text: string): CardEntry => ({
    ...{ ...card('07', ''), sessionID, what: { kind: 'notice', text } },
  })
  const cutOff = cutOffWords('hello')
  expect(order(withCards(talk, [notice('ses_1', cutOff)], false))).toEqual(order(talk))
  for (const other of [notice('ses_2', cutOff), notice('ses_1', '“hello” could not be done: no agent.')])
    expect(order(withCards(talk, [other], false))).toEqual([...order(talk), 'out_07'])
})

it('is not shown a second time either where it was sent late', () => {
  const later = [...talk, said('user', '08', 'more'), said('assistant', '10', 'Yes.')]
  const late: CardEntry = { ...card('07', 'Hi.\n\nAnd you?'), at: '10' }
  expect(order(withCards(later, [late], false))).toEqual(order(later))
})

it('a note stays behind the message that it came after', () => {
  const note: Entry = { kind: 'note', key: 'note-1', tone: 'dim', text: 'x' }
  const entries = withCards([talk[0] ?? note, note, ...talk.slice(1)], [card('03', 'a')], false)
  expect(order(entries)).toEqual(['msg_02', 'note-1', 'out_03', 'msg_04', 'msg_06'])
})

it('many cards among many messages do not each look at all of them, and not again with the next message', () => {
  let looked = 0
  const counted = (entry: MessageEntry): MessageEntry => ({
    ...entry,
    get key() {
      looked += 1
      return entry.key
    },
  })
  const time = (at: number): string => String(at).padStart(6, '0')
  const messages = Array.from({ length: 2000 }, (_, i) =>
    counted(said(i % 2 === 0 ? 'user' : 'assistant', time(10 * i), `words ${i}`)),
  )
  const cards = Array.from({ length: 500 }, (_, i) => card(time(40 * i + 15), `words ${4 * i + 1}`))
  const others = cards.map((each) => ({ ...card(`${each.at}1`, 'other') }))
  const draw = rememberedWithCards()
  const all = [...cards, ...others]
  expect(draw(messages, all, false)).toHaveLength(2500)
  expect(looked).toBeLessThan(40_000)
  let read = 0
  for (const { message } of messages)
    Object.defineProperty(message, 'text', {
      get: () => {
        read += 1
        return ''
      },
    })
  expect(draw([...messages, said('user', time(90_000), 'more')], all, false)).toHaveLength(2501)
  expect(read).toBe(0)
})

it('what was said is known as soon as its beginning is loaded, and what comes between counts', () => {
  const draw = rememberedWithCards()
  const sent = [card('07', 'Hi.\n\nAnd you?')]
  expect(order(draw(talk.slice(2), sent, true))).toEqual(['msg_06', 'out_07'])
  expect(order(draw(talk.slice(1), sent, true))).toEqual(['msg_04', 'msg_06'])
  expect(order(draw(talk, sent, false))).toEqual(order(talk))
  const more = [...talk.slice(0, 2), said('assistant', '05', 'How are'), ...talk.slice(2)]
  expect(order(draw(more, sent, false))).toEqual([...order(more), 'out_07'])
})
