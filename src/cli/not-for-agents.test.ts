import { expect, test } from 'vitest'
import { listedBy } from '../agent-ancestry.ts'
import { parseArguments } from './arguments.ts'
import { commands, start } from './commands.ts'
import { refuseAgents } from './not-for-agents.ts'

/** Words after each command's name: what agents may run, and what only a person may. */
const rules: Readonly<Record<string, { agent: readonly string[]; person: readonly string[] }>> = {
  start: { agent: [], person: [''] },
  new: { agent: ['', '--title x'], person: [] },
  send: { agent: [], person: ['abc text'] },
  chat: { agent: [], person: ['', 'abc'] },
  ls: { agent: ['', '--all'], person: [] },
  tree: { agent: ['', 'abc'], person: [] },
  log: { agent: ['abc', 'abc --follow'], person: [] },
  resume: { agent: ['abc'], person: ['abc --exec', 'abc --exec -- -p x'] },
  export: { agent: ['abc'], person: [] },
  import: { agent: ['', '--agent claude'], person: ['-', 'a.json', '--all'] },
  rm: { agent: [], person: ['abc', 'abc --yes'] },
  fork: {
    agent: ['abc', 'abc --files worktree --context seed'],
    person: ['abc --prompt x', 'abc --prompt x --background', 'abc --background', 'abc --files restore'],
  },
  files: { agent: ['abc', 'abc --now'], person: [] },
  diff: { agent: ['abc def', 'abc def --files'], person: [] },
  undo: { agent: ['--dry-run'], person: ['', '--yes', 'snp_x'] },
  gc: { agent: ['--dry-run'], person: [''] },
  exit: { agent: [], person: ['abc --save', 'abc --report x', 'abc --discard'] },
  run: { agent: [], person: ['abc x --background'] },
  runs: { agent: ['', '--all'], person: [] },
  updates: { agent: ['', 'abc'], person: ['--clear'] },
  routine: { agent: ['', 'ls'], person: ['add abc x', 'rm abc', 'run abc'] },
  remind: { agent: [], person: ['abc 1m x'] },
  daemon: { agent: [], person: ['', '--until-idle'] },
  serve: { agent: [], person: ['', '--link'] },
  discord: { agent: [], person: ['', '--invite'] },
  approve: { agent: [''], person: ['abc', 'abc --deny', 'abc --session'] },
  trust: { agent: ['--list'], person: ['', '.', '--yes', '--remove .'] },
  config: { agent: ['', 'agent'], person: ['agent claude', 'agent --unset', '--unset'] },
  mcp: { agent: [''], person: [] },
  relay: { agent: [''], person: [] },
  completion: { agent: ['bash', 'sessions'], person: [] },
  demo: { agent: [], person: ['', '--fresh'] },
  doctor: { agent: [''], person: [] },
  help: { agent: ['', 'fork'], person: [] },
}

const all = [start, ...commands]

test('every command says what of it is for persons only', () => {
  expect(all.map(({ name }) => name).toSorted()).toEqual(Object.keys(rules).toSorted())
})

test.each(all)('agents may use no part of "bough $name" that is for persons', (command) => {
  const attempt = (line: string, env: NodeJS.ProcessEnv) => () =>
    refuseAgents(command, parseArguments(command, line.split(' ').filter(Boolean)), env)
  for (const line of rules[command.name]?.agent ?? [])
    expect(attempt(line, { BOUGH_AGENT: '1' }), line).not.toThrow()
  for (const line of rules[command.name]?.person ?? []) {
    expect(attempt(line, { BOUGH_AGENT: '1' }), line).toThrow(`An agent may not use "bough ${command.name}`)
    expect(attempt(line, {}), line).not.toThrow()
  }
})

test('a mark is found among the arguments and in the environment that ps lists', () => {
  const find = listedBy(
    [
      '    1     0     1 /sbin/launchd',
      '  200     1   200 sh -c "$@" 2>&1; exit $? BOUGH_AGENT=200 sh -c -- bough ls',
      '  300     1   300 claude -p PATH=/bin BOUGH_AGENT=300 HOME=/home/me',
      '  301   300   300 bash',
      '  302     1   302 claude BOUGH_AGENT= HOME=/home/me',
    ].join('\n'),
  )
  expect([1, 200, 300, 301, 302].map((pid) => find(pid)?.isMarked)).toEqual([false, true, true, false, false])
  expect(find(301)?.relatives).toEqual([300, 300])
  expect(find(4)).toBeUndefined()
})
