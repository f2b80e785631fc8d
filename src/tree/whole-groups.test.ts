import { expect, it } from 'vitest'
import type { Message, Part } from './message.ts'
import { withWholeGroups } from './whole-groups.ts'

const told = (role: Message['role'], ...parts: Part[]) => ({
  role,
  parts,
  status: 'complete' as const,
  created: 7,
  usage: null,
})
const words = (role: Message['role'] = 'user') => told(role, { type: 'text', text: 'words' })
const call = (callID: string): Part => ({ type: 'tool-call', callID, name: 'run', args: {} })
const result = (callID: string): Part => ({
  type: 'tool-result',
  callID,
  name: 'run',
  output: '',
  exitCode: 0,
})

it('Whole groups stay as they are', () => {
  const messages = [
    words(),
    told('assistant', call('a'), call('b')),
    told('tool', result('b')),
    words('assistant'),
    told('tool', result('a')),
    words(),
  ]
  expect(withWholeGroups(messages)).toEqual(messages)
})

it('A call without a result gets one that says so, before the next who speaks or at the end', () => {
  const messages = [
    told('assistant', call('a'), call('b')),
    told('tool', result('a')),
    words(),
    told('assistant', call('c')),
  ]
  const whole = withWholeGroups(messages)
  expect(whole.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'user', 'assistant', 'tool'])
  expect(whole[2]).toMatchObject({
    status: 'interrupted',
    created: 7,
    parts: [{ callID: 'b', name: 'run', output: 'No result of this call is known.', exitCode: 1 }],
  })
  expect(whole[5]?.parts).toMatchObject([{ callID: 'c' }])
})

it.each([
  [[words(), told('user', call('a'))], 'Message 2 of the document (user) calls a tool'],
  [
    [told('assistant', call('a')), told('assistant', result('a'))],
    "Message 2 of the document (assistant) has a tool's result",
  ],
  [
    [words(), told('tool', result('a'))],
    'Message 2 of the document (tool) has a result of the call "a", which nobody made',
  ],
])('What no turn makes is refused', (messages, complaint) => {
  expect(() => withWholeGroups(messages)).toThrow(complaint)
})
