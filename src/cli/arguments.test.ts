import { describe, expect, it } from 'vitest'
import { parseArguments } from './arguments.ts'
import { commands } from './commands.ts'
import { findCommand } from './find-command.ts'
import { UsageError } from './usage-error.ts'

const parse = (command: string, ...argv: string[]) => parseArguments(findCommand(commands, command), argv)

describe('arguments', () => {
  it('are words and options in any order', () => {
    const args = parse('fork', '--title', 'Other way', 'abc@def', '--before')
    expect(args.word('session')).toBe('abc@def')
    expect(args.value('title')).toBe('Other way')
    expect(args.flag('before')).toBe(true)
    expect(args.flag('json')).toBe(false)
    expect(args.value('agent')).toBeUndefined()
  })

  it('after "--" are words, whatever they begin with', () => {
    expect(parse('send', 'abc', '--', '--json').word('text')).toBe('--json')
  })

  it('take "-" as a word', () => {
    expect(parse('send', 'abc', '-').word('text')).toBe('-')
  })

  it('take a value that begins with "-" only when it is joined with "="', () => {
    expect(parse('new', '--title=-x').value('title')).toBe('-x')
    expect(() => parse('new', '--title', '--json')).toThrow('--title needs a value: --title=TEXT.')
    expect(() => parse('new', '--title')).toThrow('--title needs a value')
  })

  it('can be many where the command takes several', () => {
    expect(parse('rm', 'a', 'b', 'c').words('session')).toEqual(['a', 'b', 'c'])
  })

  it.each([
    [['ls', '--limt', '3'], '"ls" has no option --limt. Did you mean --limit? Usage: bough ls [options]'],
    [['ls', '--json=yes'], '--json takes no value.'],
    [['send', 'abc'], '"send" needs <text or ->. Usage: bough send <session> <text or -> [options]'],
    [
      ['send', 'abc', 'two', 'words'],
      '"send" does not know what to do with "words". Put the text in quotes.',
    ],
    [['diff', 'a'], '"diff" needs <session>'],
    [['send', 'abc', '-x'], '"send" has no option -x. Put "--" before a word that begins with "-".'],
  ])('%j are wrong use, and the complaint says what to do', ([name = '', ...argv], complaint) => {
    expect(() => parse(name, ...argv)).toThrow(UsageError)
    expect(() => parse(name, ...argv)).toThrow(complaint)
  })

  it.each(['0', '-1', '1.5', 'ten', '1e3', ''])('do not take %j for a number of things', (given) => {
    expect(() => parse('ls', `--limit=${given}`).count('limit')).toThrow(
      '--limit needs a whole number of at least 1',
    )
    if (given !== '')
      expect(() => parse('ls', '--limit', given).count('limit')).toThrow(`at least 1, not "${given}"`)
  })

  it('do not have to be complete when help is wanted', () => {
    expect(parse('send', '--help').help).toBe(true)
    expect(parse('send', '-h').help).toBe(true)
  })
})

describe('a mistyped command', () => {
  it('gets the nearest one suggested', () => {
    expect(() => findCommand(commands, 'frok')).toThrow('There is no command "frok". Did you mean "fork"?')
    expect(() => findCommand(commands, '--versoin')).toThrow(
      'There is no option "--versoin". Did you mean "--version"?',
    )
    expect(() => findCommand(commands, 'elephant')).toThrow('"bough --help" lists the commands.')
  })
})
