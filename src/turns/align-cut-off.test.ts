import { expect, it } from 'vitest'
import { messageOf } from '../agents/offline/test-rig.ts'
import type { Message } from '../tree/message.ts'
import type { NativeMessage } from '../tree/native.ts'
import { alignCutOff } from './align-cut-off.ts'

let made = 0
const ours = (words: string): Message => {
  const [role = '', text = ''] = words.split(' ')
  return { ...messageOf(role as Message['role'], { type: 'text', text }), id: `msg_${made++}` }
}
const theirs = (words: string): NativeMessage => {
  const [role = '', text = '', nativeID = null] = words.split(' ')
  return {
    role: role as Message['role'],
    parts: [{ type: 'text', text: text.replaceAll('+', '\n') }],
    status: 'complete',
    created: 0,
    nativeID,
  }
}

/** Which message, by its place, stands for which entry; and the texts of what is left. */
function align(tail: readonly string[], history: readonly string[]) {
  const messages = tail.map(ours)
  const { bindings, rest } = alignCutOff(messages, history.map(theirs))
  const places = bindings.map(({ id, nativeID }) => [messages.findIndex((each) => each.id === id), nativeID])
  return [places, rest.map(({ nativeID }) => nativeID)]
}

it('what the tree lacks is new', () => {
  expect(align([], ['user a 1', 'assistant b 2'])).toEqual([[], ['1', '2']])
  expect(align(['user x'], ['user a 1', 'assistant b 2'])).toEqual([[], ['1', '2']])
})

it('a turn that was cut off is the one with the same prompt; only what the tree lacks of it is new', () => {
  const tail = ['user a', 'assistant half', 'system Interrupted']
  expect(align(tail, ['user a 1', 'assistant half 2', 'user c 3'])).toEqual([
    [
      [0, '1'],
      [2, '2'],
    ],
    ['3'],
  ])
  expect(align(tail, ['user a 1', 'assistant half-and-more 2'])).toEqual([[[0, '1']], ['2']])
  expect(align(tail, ['user a 1'])).toEqual([[[0, '1']], []])
})

it('answers that the tree has not at all are new', () => {
  expect(align(['user a', 'error no-network'], ['user a 1', 'assistant b 2'])).toEqual([[[0, '1']], ['2']])
})

it('what comes before the first prompt goes on with a turn that both know', () => {
  expect(align(['user a', 'system Interrupted'], ['summary s 1', 'user a 2', 'assistant b 3'])).toEqual([
    [[0, '2']],
    ['1', '3'],
  ])
  expect(align(['assistant half', 'system Interrupted'], ['assistant half 1'])).toEqual([[[1, '1']], []])
  expect(align(['assistant half', 'system Interrupted'], ['assistant half-and-more 1'])).toEqual([[], ['1']])
})

it('results of calls that the tree has answered itself are not new', () => {
  const result = (output: string) => ({
    type: 'tool-result' as const,
    callID: 'c',
    name: 'run',
    output,
    exitCode: 0,
  })
  const tail = [
    { ...messageOf('tool', result('The turn ended before this had a result.')), id: 'msg_t' as const },
  ]
  const theirs = { role: 'tool' as const, status: 'complete' as const, created: 0, nativeID: 'r1' }
  expect(alignCutOff(tail, [{ ...theirs, parts: [result('real')] }])).toEqual({
    bindings: [{ id: 'msg_t', nativeID: 'r1' }],
    rest: [],
  })
})

it('an agent that names only the ends of turns is bound there', () => {
  const history = ['user a', 'assistant b t1', 'user c', 'assistant d t2']
  expect(align(['user a', 'assistant b', 'error broken'], history)).toEqual([[[2, 't1']], [null, 't2']])
})

it('prompts that were sent as one are one turn there', () => {
  const tail = ['user a', 'error broken', 'user b', 'assistant c', 'system Interrupted']
  expect(align(tail, ['user a+b 1', 'assistant c 2'])).toEqual([
    [
      [2, '1'],
      [4, '2'],
    ],
    [],
  ])
})
