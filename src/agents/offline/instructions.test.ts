import { expect, test } from 'vitest'
import { parsePrompt } from './instructions.ts'

const only = (line: string) => {
  const { instructions, remarks } = parsePrompt(line)
  expect(remarks).toEqual([])
  expect(instructions).toHaveLength(1)
  return instructions[0]
}

test.each([
  ['write a.txt: hello', { kind: 'write', file: 'a.txt', text: 'hello' }],
  ['  append a b.txt: x: y', { kind: 'append', file: 'a b.txt', text: 'x: y' }],
  ['read a.txt ', { kind: 'read', file: 'a.txt' }],
  ['delete a.txt', { kind: 'delete', file: 'a.txt' }],
  ['run ls -l | wc', { kind: 'run', command: 'ls -l | wc' }],
  ['sleep 1.5', { kind: 'sleep', seconds: 1.5 }],
  ['words 3', { kind: 'words', count: 3 }],
  ['fail out of luck', { kind: 'fail', message: 'out of luck' }],
  ['tool save {"a": [1]}', { kind: 'tool', name: 'save', args: { a: [1] } }],
  ['tool save', { kind: 'tool', name: 'save', args: {} }],
])('%j is an instruction', (line, instruction) => {
  expect(only(line)).toEqual(instruction)
})

test('the text of a write is kept exactly', () => {
  expect(only('write a:  two\\n words ')).toEqual({ kind: 'write', file: 'a', text: ' two\\n words ' })
})

test('a file name may hold a colon that no space follows', () => {
  expect(only('write a:b: c: d')).toEqual({ kind: 'write', file: 'a:b', text: 'c: d' })
  expect(only('write a:b:')).toEqual({ kind: 'write', file: 'a:b', text: '' })
})

test.each([
  'write',
  'write a.txt',
  'write : text',
  'write a:b',
  'append a.txt',
  'read',
  'delete ',
  'run  ',
  'fail',
  'sleep',
  'sleep soon',
  'sleep -1',
  'sleep 86401',
  'words -3',
  'words 0',
  'words 1.5',
  'words 1000001',
  'tool',
  'tool {"a": 1}',
  'tool x {bad',
  'tool x [1]',
  'tool x {} {}',
])('%j begins like an instruction and is malformed', (line) => {
  expect(only(line)).toMatchObject({ kind: 'malformed', line: line.trimEnd() })
})

test.each(['Write me a poem', 'reading is fun', 'write: x', 'hello'])('%j is no instruction', (line) => {
  expect(parsePrompt(line)).toEqual({ instructions: [], remarks: [line] })
})

test('a prompt may mix instructions and other lines, and blank lines are ignored', () => {
  expect(parsePrompt('hello \r\n\r\nread a\r\n  \nthanks')).toEqual({
    instructions: [{ kind: 'read', file: 'a' }],
    remarks: ['hello', 'thanks'],
  })
})
