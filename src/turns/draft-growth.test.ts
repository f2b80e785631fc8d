import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Part } from '../tree/message.ts'
import type { TurnEvent } from '../tree/turn.ts'
import { type Grown, growthOf } from './draft-growth.ts'

const call: Part = { type: 'tool-call', callID: 'c', name: 'read', args: {} }
const result: Part = { type: 'tool-result', callID: 'c', name: 'read', output: 'a tree', exitCode: 0 }

const grown = (...parts: readonly Part[]): Grown => ({ messageID: 'msg_1', parts })

/** What is told when somebody looks at each of these, one after the other. */
const toldOf = (looks: readonly Grown[]): readonly TurnEvent[] =>
  looks.flatMap((look, i) => growthOf(looks[i - 1] ?? null, look))

describe('the growth of a message', () => {
  it('is only what is new, in its order', () => {
    const looks = [
      grown({ type: 'reasoning', text: 'Let me' }),
      grown({ type: 'reasoning', text: 'Let me see.' }, { type: 'text', text: 'I' }),
      grown({ type: 'reasoning', text: 'Let me see.' }, { type: 'text', text: 'I look.' }, call),
      grown({ type: 'reasoning', text: 'Let me see.' }, { type: 'text', text: 'I look.' }, call),
    ]
    expect(toldOf(looks)).toEqual([
      { type: 'reasoning', messageID: 'msg_1', text: 'Let me' },
      { type: 'reasoning', messageID: 'msg_1', text: ' see.' },
      { type: 'text', messageID: 'msg_1', text: 'I' },
      { type: 'text', messageID: 'msg_1', text: ' look.' },
      { type: 'tool-call', messageID: 'msg_1', call },
    ])
  })

  it('is all of it when another message streamed before', () => {
    const next: Grown = { messageID: 'msg_2', parts: [result, { type: 'notice', text: 'Late.' }] }
    expect(growthOf(grown({ type: 'text', text: 'I look.' }, call), next)).toEqual([
      { type: 'tool-result', messageID: 'msg_2', result },
    ])
  })

  it('is not told again when characters were replaced that cannot be stored', () => {
    const looks = [grown({ type: 'text', text: 'a\0b' }), grown({ type: 'text', text: 'a\uFFFDbc' })]
    expect(toldOf(looks).at(-1)).toMatchObject({ text: 'c' })
  })

  it('comes to the whole text, however often somebody looks', () => {
    const pieces = fc.array(fc.record({ type: fc.constantFrom('text', 'reasoning'), text: fc.string() }))
    const looksAt = fc.array(fc.nat(20))
    fc.assert(
      fc.property(pieces, looksAt, (said, looked) => {
        const after = (count: number): Grown => {
          const parts: { type: 'text' | 'reasoning'; text: string }[] = []
          for (const { type, text } of said.slice(0, count)) {
            const last = parts.at(-1)
            if (last?.type === type) last.text += text
            else parts.push({ type, text })
          }
          return grown(...parts)
        }
        const looks = [...looked.toSorted((a, b) => a - b), said.length].filter((at) => at <= said.length)
        const wordsOf = (type: TurnEvent['type']) =>
          toldOf(looks.map(after)).flatMap((event) =>
            event.type === type && (event.type === 'text' || event.type === 'reasoning') ? [event.text] : [],
          )
        for (const type of ['text', 'reasoning'] as const)
          expect(wordsOf(type).join('')).toBe(
            said.flatMap((each) => (each.type === type ? [each.text] : [])).join(''),
          )
      }),
    )
  })
})
