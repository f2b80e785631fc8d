import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { shellLine } from './shell-line.ts'

it('words come out of a shell as they went in', () => {
  const words = ['plain', 'a b', "it's", '$HOME', '"', '`x`', 'ü', '', 'a\nb', '--x=1']
  const printed = execFileSync('sh', ['-c', `printf '%s\\0' ${shellLine(words)}`], { encoding: 'utf8' })
  expect(printed.split('\0').slice(0, -1)).toEqual(words)
})

it('what needs no quotes gets none', () => {
  expect(shellLine(['claude', '--resume', '1f0b-2', '/tmp/x'])).toBe('claude --resume 1f0b-2 /tmp/x')
})
