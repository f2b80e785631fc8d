import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { count, seed } from '../../../test/support/size.ts'
import { commandsIn } from './commands-in.ts'
import { simpleCommand } from './simple-command.ts'

describe('a simple command', () => {
  it.each([
    ['npm test', ['npm', 'test']],
    ["git commit -m 'two words'", ['git', 'commit', '-m', 'two words']],
    ['git commit -m "say \\"no\\""', ['git', 'commit', '-m', 'say "no"']],
    ['ls  \t a\\ b ""', ['ls', 'a b', '']],
    ['./build.sh x', ['./build.sh', 'x']],
  ])('has the words of %s', (line, words) => {
    expect(simpleCommand(line)).toEqual(words)
  })

  it.each([
    ...[
      'a; b',
      'a & b',
      'a && b',
      'a | b',
      'a > f',
      'a < f',
      'a `b`',
      'a $(b)',
      'a "$(b)"',
      'a $B',
      `a $${'{B}'}`,
      '(a)',
    ],
    ...[
      'a\nb',
      'a\rb',
      'a\0b',
      "a 'b",
      'a "b',
      'a b\\',
      'A=1 b',
      'A+=1 b',
      'A[0]=1 b',
      '! a',
      '{ a',
      'if a',
      'time a',
    ],
    ...['', '  ', '# a', '~/a', 'a* b', '{a,b}', "a '; b'"],
  ])('is none in %j', (line) => {
    expect(simpleCommand(line)).toBeNull()
  })

  it('has the words that bash gives the program', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'b ',
        ' ',
        '\t',
        "'",
        '"',
        '\\',
        ';',
        '$',
        '(',
        '=',
        '-x',
        "'c d'",
        '"e f"',
        '\\ ',
        '\\"',
        '#',
        '!',
        '%',
      ],
    )
    const lines = fc.sample(
      fc.array(piece, { maxLength: 8 }).map((pieces) => `printf ${pieces.join('')}`),
      { numRuns: count(3000, 600), seed: seed() },
    )
    const simple = [...new Set(lines)].filter((line) => simpleCommand(line) !== null)
    expect(simple.length).toBeGreaterThan(50)
    // One bash for all: each line calls a function that prints its words.
    const script = `printf() { builtin printf '%s\\0' printf "$@"; builtin printf '\\1'; }\nset -f\n${simple.join('\n')}\n`
    const told = execFileSync('bash', ['-c', script], { encoding: 'utf8' })
    const words = told.split('\u0001').slice(0, -1)
    // A comment is more words to us than to bash, which gives the program fewer.
    for (const [i, line] of simple.entries()) {
      const given = (words[i] ?? '').split('\0').slice(0, -1)
      const seen = simpleCommand(line)
      if (/(^|\s)#/.test(line)) expect(seen?.slice(0, given.length), line).toEqual(given)
      else expect(seen, line).toEqual(given)
    }
    expect(words.length).toBe(simple.length)
  })
})

describe('the commands in a line', () => {
  const programs = (line: string) => commandsIn(line).map(({ words }) => words.join(' '))

  it.each([
    ['true;rm z', ['true', 'rm z']],
    ['a && rm z || b | c & d', ['a', 'rm z', 'b', 'c', 'd']],
    ['a\nrm z\r\nb', ['a', 'rm z', 'b']],
    ['echo $(rm z)', ['echo $', 'rm z']],
    ['echo `rm z`', ['echo', 'rm z']],
    ['echo "a $(rm z)"', ['rm z', 'echo a $(rm z)']],
    ['(rm z)', ['rm z']],
    ['A=1 B=2 rm z', ['rm z']],
    ['if true; then rm z; fi', ['true', 'rm z']],
    ['2>/dev/null >f rm z 2>&1', ['rm z']],
    ['r\\m z', ['rm z']],
    ["'r'm z", ['rm z']],
    ["$'rm' z", ['rm z']],
    ['rm \\\nz', ['rm z']],
    ["echo 'rm z; rm y'", ['echo rm z; rm y']],
    ["echo 'rm z", ['echo rm z']],
    ["echo $'\\''; rm z", ["echo \\'", 'rm z']],
    ["true # it's\nrm z", ['its', 'true', 'rm z']],
    ["cat <<E\nit's\nE\nrm z", ['cat', 'its\nE\nrm z', 'cat', 'its', 'E', 'rm z']],
    ["sh -c 'rm z'", ['sh -c rm z', 'rm z']],
    ["env -S'rm z'", ['env -Srm z', '-Srm z', 'rm z']],
  ])('of %j are found', (line, expected) => {
    expect(programs(line)).toEqual(expected)
  })

  it('are found in a megabyte of anything', () => {
    for (const text of ['"$(', '`', "sh -c '", '$(', 'sudo ', '# ', '<<\n', '\\', '"', '<', 'a;'])
      commandsIn(text.repeat(1_000_000 / text.length))
  })
})
