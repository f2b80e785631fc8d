import fc from 'fast-check'
import { expect, test } from 'vitest'
import { count, seed } from '../../test/support/size.ts'
import type { MessageID } from '../tree/ids.ts'
import type { Message } from '../tree/message.ts'
import { once } from '../tree/permission.ts'
import type { TurnEvent } from '../tree/turn.ts'
import { TurnReplay } from './turn-replay.ts'

type TextEvent = Extract<TurnEvent, { type: 'text' | 'reasoning' }>

const isText = (event: TurnEvent): event is TextEvent => event.type === 'text' || event.type === 'reasoning'

const message = (id: MessageID): Message => ({
  ...{ id, sessionID: 'ses_1', seq: 1, role: 'assistant', text: '', parts: [], status: 'complete' },
  ...{ nativeID: null, usage: null, snapshot: null, created: 0 },
})

const ended: TurnEvent = { type: 'ended', end: { outcome: 'finished', reason: null } }

/** Text as single units, so that the pieces it came in make no difference. */
const units = (events: readonly TurnEvent[]): readonly TurnEvent[] =>
  events.flatMap((event): readonly TurnEvent[] =>
    isText(event) ? event.text.split('').map((text) => ({ ...event, text })) : [event],
  )

/** The same turn in other pieces; `joins` says where two pieces are one. */
function inPieces(events: readonly TurnEvent[], joins: () => boolean): readonly TurnEvent[] {
  const pieces: TurnEvent[] = []
  for (const event of units(events)) {
    const last = pieces.at(-1)
    if (last && isText(last) && isText(event) && isSame(last, event) && joins())
      pieces[pieces.length - 1] = { ...last, text: last.text + event.text }
    else pieces.push(event)
  }
  return pieces
}

const isSame = (a: TextEvent, b: TextEvent): boolean => a.type === b.type && a.messageID === b.messageID

const words = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '🌳', '\u2028', '\0'), minLength: 1 })
const part = fc.record({
  kind: fc.constantFrom('text', 'reasoning', 'tool-call', 'notice', 'permission'),
  words,
})

/** What happens in a turn, each message with its parts and then itself. */
const turn = fc.array(fc.array(part, { maxLength: 6 }), { maxLength: 4 }).map((messages): TurnEvent[] => [
  ...messages.flatMap((parts, m): TurnEvent[] => {
    const messageID: MessageID = `msg_${m}`
    const events = parts.map(({ kind, words: text }, p): TurnEvent => {
      const callID = `call_${m}_${p}`
      switch (kind) {
        case 'text':
        case 'reasoning':
          return { type: kind, messageID, text }
        case 'tool-call':
          return { type: kind, messageID, call: { type: kind, callID, name: 'run', args: text } }
        case 'permission':
          return {
            type: kind,
            permission: {
              ...{ id: `per_${m}_${p}`, sessionID: 'ses_1', turnID: 'trn_1', tool: 'run' },
              ...{ detail: text, caution: null, state: 'asked', scope: 'call', offers: [once], asked: 0 },
            },
          }
        default:
          return { type: 'notice', text: text.slice(0, 1) }
      }
    })
    return [...events, { type: 'message', message: message(messageID) }]
  }),
  ended,
])

test('Whatever the pieces and wherever it breaks off: told from the beginning again, each thing passes once, in order', () => {
  const coin = fc.infiniteStream(fc.boolean())
  const cuts = fc.array(fc.nat({ max: 60 }), { maxLength: 4 })
  fc.assert(
    fc.property(turn, cuts, coin, (events, breaks, coins) => {
      const joins = () => coins.next().value ?? false
      const replay = new TurnReplay()
      const passed: TurnEvent[] = []
      for (const cut of [...breaks, Number.POSITIVE_INFINITY]) {
        replay.startOver()
        // The end is told once, by whoever reads: it stops there.
        const told = inPieces(events, joins).slice(0, cut)
        const isOver = told.at(-1)?.type === 'ended'
        passed.push(...told.flatMap((event) => replay.newIn(event) ?? []))
        if (isOver) break
      }
      expect(units(passed)).toEqual(units(events))
    }),
    { numRuns: count(5000, 300), seed: seed() },
  )
})

test('the same notice may be said several times, and each time is told', () => {
  const replay = new TurnReplay()
  const notice: TurnEvent = { type: 'notice', text: 'It tries again.' }
  expect([replay.newIn(notice), replay.newIn(notice)]).toEqual([notice, notice])
  replay.startOver()
  expect([replay.newIn(notice), replay.newIn(notice), replay.newIn(notice)]).toEqual([null, null, notice])
})

test('of words that were told and never stored nothing is told twice, and the message passes', () => {
  const replay = new TurnReplay()
  const says = (text: string): TurnEvent => ({ type: 'text', messageID: 'msg_1', text })
  const whole: TurnEvent = { type: 'message', message: message('msg_1') }
  expect(replay.newIn(says('abcdef'))).toEqual(says('abcdef'))
  replay.startOver()
  expect([replay.newIn(says('abcd')), replay.newIn(whole)]).toEqual([null, whole])
  replay.startOver()
  expect([replay.newIn(says('abcdefgh')), replay.newIn(whole)]).toEqual([null, null])
})
