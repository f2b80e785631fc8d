import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { count, seed } from '../../test/support/size.ts'
import type { PermissionRequest } from '../agents/driver.ts'
import { simpleCommand } from '../tree/shell/simple-command.ts'
import { offersFor } from './offers.ts'
import { decide, isNamedBy, type JudgedFile } from './policy.ts'

const run = (detail: string): PermissionRequest => ({ tool: 'run', action: 'run', detail })
const write = (path: string): PermissionRequest => ({ tool: 'write', action: 'write', detail: path, path })
const at = (realPath: string): JudgedFile => ({
  ...{ realPath, directory: '/p', home: '/home/me', isProtected: false, access: 'asked', reason: 'outside' },
})
const wordsOf = async (
  request: PermissionRequest,
  file: JudgedFile | null = null,
  decision = 'ask' as const,
) => (await offersFor(request, file, decision)).map(({ words }) => words)
const ruleFor = async (request: PermissionRequest, file: JudgedFile | null = null) =>
  (await offersFor(request, file, 'ask')).find(({ scope }) => scope === 'session')?.rule ?? null

describe('an approval of a command', () => {
  it.each([
    ['npm test -- -t x', 'npm test …'],
    ['npm run build -- --fast', 'npm run build …'],
    ['git status -s', 'git status …'],
    ['git stash list', 'git stash list …'],
    ['cargo test', 'cargo test …'],
    ['kubectl get pods', 'kubectl get …'],
  ])('%s may cover its program and subcommand', async (line, prefix) => {
    expect(await wordsOf(run(line))).toEqual([
      'once',
      `${prefix} this session`,
      `${prefix} always`,
      'every command this session',
    ])
    expect(await ruleFor(run(line))).toBe(`run(${prefix.replace('…', '*')})`)
  })

  it.each([
    ...[
      'touch x',
      'ls',
      'rm -rf build',
      './npm test',
      '/usr/bin/git status',
      'git -c core.pager=x status',
      'npm',
    ],
    ...[
      'git -C /x status',
      'git --exec-path=/x status',
      'npm --prefix x test',
      'npm exec x',
      'git config a b',
      'npm run',
    ],
    ...[
      'cargo +nightly test',
      'docker run x',
      'npx tsc',
      "git 'a b'",
      'git rebase -x y',
      'toString x',
      '__proto__ x',
    ],
  ])('%s may cover exactly this command', async (line) => {
    expect(await ruleFor(run(line))).toBe(`run(${line})`)
    expect((await wordsOf(run(line)))[1]).toBe('this exact command this session')
  })

  it.each([
    ...[
      'echo a; b',
      'a && b',
      'a | b',
      'a > f',
      'a\nb',
      'a `b`',
      'a $(b)',
      'a $B',
      'A=1 b',
      'ls *',
      "a 'b",
      'a \u202eb',
    ],
  ])('%j may cover every command, and nothing between that and this call', async (line) => {
    expect(await wordsOf(run(line))).toEqual(['once', 'every command this session'])
  })

  it.each([
    ...[
      'curl x | sh',
      'a; sudo b',
      'a $(python b)',
      'A=1 env b',
      'sh x',
      'bash -c x',
      '/bin/zsh',
      'python3.11 x',
      'node x',
      'perl x',
      'deno run x',
      'bun x',
      'awk x f',
      'ruby x',
    ],
    ...[
      'env x',
      'sudo x',
      'doas x',
      'xargs x',
      'find . -delete',
      'ssh h x',
      'timeout 5 x',
      'nohup x',
      'nice x',
      'eval x',
    ],
    ...[
      'exec x',
      'source x',
      '. x',
      'command x',
      'php x',
      'lua5.4 x',
      'tclsh x',
      'fish x',
      'dash x',
      'busybox sh',
    ],
  ])('%s covers this call only', async (line) => {
    expect(await wordsOf(run(line))).toEqual(['once'])
  })

  it('covers this call only where it is asked each time, and where it runs elsewhere', async () => {
    expect(await offersFor({ ...run('npm test'), eachTime: true }, null, 'ask')).toHaveLength(1)
    expect(await offersFor(run('npm test'), null, 'ask-each-time')).toHaveLength(1)
    expect(await offersFor({ ...run('in /b: npm test'), command: 'npm test' }, null, 'ask')).toHaveLength(1)
  })

  it('never allows another program, whatever is put behind or before it', async () => {
    const program = fc.constantFrom(
      'npm test',
      'git status',
      'npm run build',
      'cargo test',
      'touch x',
      'rm -rf a',
    )
    const piece = fc.constantFrom(
      ...[
        'npm',
        'test',
        'git',
        'status',
        ' ',
        '  ',
        '\t',
        '\n',
        '\r',
        ';',
        '&',
        '|',
        '<',
        '>',
        '(',
        ')',
        '`',
        '$',
        '{',
      ],
      ...[
        "'",
        '"',
        '\\',
        '-c',
        '=',
        'A=1 ',
        '#',
        '/',
        './',
        '-',
        '*',
        '~',
        '!',
        'x',
        '\u00a0',
        '\u200b',
        '\0',
        '}',
      ],
    )
    const around = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''))
    await fc.assert(
      fc.asyncProperty(program, around, around, async (approved, before, after) => {
        const rule = await ruleFor(run(approved))
        const line = `${before}${approved}${after}`
        if (rule === null || !(await isNamedBy([rule], run(line), null))) return
        const prefix = rule.slice(4, -1).replace(/ \*$/, '').split(' ')
        const words = simpleCommand(line)
        expect(words?.slice(0, prefix.length), line).toEqual(prefix)
        expect(line).not.toMatch(/[;&|<>`$\n\r\0]/)
      }),
      { numRuns: count(20_000, 3000), seed: seed() },
    )
  })
})

describe('an approval of a file', () => {
  it('may cover its real directory', async () => {
    const [request, file] = [write('/link/a.txt'), at('/notes/a.txt')]
    expect(await wordsOf(request, file)).toEqual([
      ...['once', 'write in /notes this session', 'write in /notes always', 'every write this session'],
    ])
    const rules = [(await ruleFor(request, file)) ?? '']
    expect(await isNamedBy(rules, write('/notes/b/c.txt'), at('/notes/b/c.txt'))).toBe(true)
    expect(await isNamedBy(rules, write('/notes/link'), at('/etc/passwd'))).toBe(false)
    expect(await isNamedBy(rules, write('/notes2/a'), at('/notes2/a'))).toBe(false)
    expect(await isNamedBy(rules, { ...write('/notes/a'), tool: 'read' }, at('/notes/a'))).toBe(false)
    const guarded = { ...at('/notes/.git/config'), isProtected: true }
    const policy = { allow: rules, deny: [], timeout: 1 }
    expect(await decide(policy, write('/notes/.git/config'), guarded)).toBe('ask-each-time')
  })

  it('covers no directory that is too wide for it, or that a rule could not name', async () => {
    for (const path of ['/home/me/a', '/home/a', '/a', '/n*/a', '/n\u202e/a'])
      expect(await wordsOf(write(path), at(path)), path).toEqual(['once', 'every write this session'])
  })

  it('covers the searched directory, for a search', async () => {
    const search = { tool: 'read', action: 'read', detail: '/notes', path: '/notes', isDeep: true } as const
    const rules = [(await ruleFor(search, at('/notes'))) ?? '']
    expect(rules).toEqual(['read(/notes/*)'])
    expect(await isNamedBy(rules, search, at('/notes'))).toBe(true)
  })

  it('covers this call only for a protected file', async () => {
    expect(await offersFor(write('/p/.git/x'), at('/p/.git/x'), 'ask-each-time')).toHaveLength(1)
  })
})

it('an approval of another tool may cover the same request', async () => {
  const fetch = { tool: 'WebFetch', action: 'other', detail: 'https://a.example/(x)' } as const
  expect(await wordsOf(fetch)).toEqual([
    ...[
      'once',
      'this exact request this session',
      'this exact request always',
      'every WebFetch this session',
    ],
  ])
  const rules = [(await ruleFor(fetch)) ?? '']
  expect(await isNamedBy(rules, fetch, null)).toBe(true)
  expect(await isNamedBy(rules, { ...fetch, detail: 'https://a.example/(x)y' }, null)).toBe(false)
  expect(await wordsOf({ ...fetch, detail: 'https://a.example/*' })).toEqual([
    'once',
    'every WebFetch this session',
  ])
})
