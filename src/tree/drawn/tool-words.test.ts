import { describe, expect, it } from 'vitest'
import type { Json } from '../message.ts'
import { deniedOutput } from '../stand-in-output.ts'
import { callWords, resultWords } from './tool-words.ts'

const call = (name: string, args: Json) => ({ type: 'tool-call', callID: 'c', name, args }) as const
const result = (output: string, exitCode = 0) =>
  ({ type: 'tool-result', callID: 'c', name: 'run', output, exitCode }) as const

describe('the words of a tool call', () => {
  it.each<[string, Json, string]>([
    ['write', { file: 'soup.txt', text: 'leek' }, 'write soup.txt'],
    ['Edit', { file_path: 'a/soup.ts', old_string: 'a', new_string: 'b' }, 'Edit a/soup.ts'],
    ['Bash', { command: 'ls -l', description: 'List' }, 'Bash ls -l'],
    ['shell', { command: ['bash', '-lc', 'make soup'] }, 'shell make soup'],
    ['shell', { command: ['git', 'log', '-1'] }, 'shell git log -1'],
    [
      'apply_patch',
      { changes: [{ path: 'a.ts', kind: 'update', diff: '' }, { path: 'b.ts' }] },
      'apply_patch a.ts, b.ts',
    ],
    ['Grep', { pattern: 'leek', output_mode: 'content' }, 'Grep leek'],
    ['odd', { a: 1, b: [true] }, 'odd a=1 b=[true]'],
    ['odd', null, 'odd'],
    ['mcp__bough__remind', { text: 'soup' }, 'remind soup'],
    ['mcp__my_files__find', { query: 'leek' }, 'my_files find leek'],
    ['bad\u001b[2J', { command: 'two\nlines\u001b]0;x\u0007' }, 'bad two lines'],
  ])('of %s %j are %s', (name, args, words) => {
    expect(callWords(call(name, args))).toBe(words)
  })

  it('say what came of it', () => {
    expect(resultWords(undefined).text).toBe('…')
    expect(resultWords(result('')).text).toBe('✓')
    expect(resultWords(result('one\n')).text).toBe('✓')
    expect(resultWords(result('one\ntwo\n\n')).text).toBe('✓ 2 lines')
    expect(resultWords(result('no', 2))).toEqual({ text: '✗ exit 2', isBad: true })
    expect(resultWords(result(deniedOutput('no'), 1)).text).toBe('✗ denied')
    expect(resultWords(result('The turn ended before this had a result.', 1)).text).toBe('✗ cut off')
  })
})
