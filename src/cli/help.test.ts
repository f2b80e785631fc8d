import { describe, expect, it } from 'vitest'
import { commands } from './commands.ts'
import { findCommand } from './find-command.ts'
import { commandHelp, overview } from './help.ts'

describe('help', () => {
  it('lists every command with what it does', () => {
    const text = overview(commands)
    for (const { name, summary } of commands) expect(text).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'))
  })

  it('shows once, for all commands, how they go to a server', () => {
    expect(overview(commands).match(/--server URL/g)).toHaveLength(1)
  })

  it('of a command shows its usage and options', () => {
    expect(commandHelp(findCommand(commands, 'ls'))).toBe(`List sessions, the newest first.

Usage: bough ls [options]

Options:
  -a, --all         All of them, not only the 50 newest
      --limit N     At most so many, the newest
      --dir DIR     Only those that work in this directory
      --agent NAME  Only those of this agent
      --json        Print JSON instead of text
  -h, --help        Say what the command does

Server, as for every command:
      --server URL       Go to the server at this address; otherwise that of BOUGH_SERVER, if it is set
      --token-file FILE  The file of its token, where BOUGH_TOKEN is not set; otherwise the usual one
`)
  })

  it.each(commands.map(({ name }) => name))('of "%s" fits a terminal of 120 columns', (name) => {
    const widest = Math.max(
      ...commandHelp(findCommand(commands, name))
        .split('\n')
        .map((line) => line.length),
    )
    expect(widest).toBeLessThanOrEqual(120)
  })
})
