import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { short } from './support/refused.ts'
import { createWorld, launcher, type World } from './support/run-bough.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})

/** What bash offers after these words, with the script that bough prints. */
async function offered(...words: string[]): Promise<readonly string[]> {
  const script = join(world.project, 'completion.bash')
  writeFileSync(script, await world.ok('completion', 'bash'))
  const program = `
    bough() { "$NODE" "$LAUNCHER" "$@"; }
    source "$SCRIPT"
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _bough
    printf '%s\\n' "\${COMPREPLY[@]}"
    complete -p bough >/dev/null`
  const output = execFileSync('bash', ['--norc', '-c', program, 'bash', 'bough', ...words], {
    encoding: 'utf8',
    env: { ...world.env, NODE: process.execPath, LAUNCHER: launcher, SCRIPT: script },
  })
  return output.split('\n').filter((line) => line !== '')
}

describe('completion in bash', () => {
  it('offers commands', async () => {
    expect(await offered('fo')).toEqual(['fork'])
    expect(await offered('f')).toEqual(['fork', 'files'])
    expect(await offered('')).toEqual(expect.arrayContaining(['new', 'send', 'completion', '--help']))
  })

  it('offers the options of the command', async () => {
    expect(await offered('ls', '--a')).toEqual(['--all', '--agent'])
    expect(await offered('fork', '--b')).toEqual(['--before', '--background'])
  })

  it('offers sessions, by the end of their ids or by the whole of them', async () => {
    const ids = [
      (await world.ok('new')).trim(),
      (await world.ok('new', '--title', '$(touch evil); `x`')).trim(),
    ]
    expect((await offered('log', '')).toSorted()).toEqual(ids.map(short).toSorted())
    expect((await offered('rm', 'ses_')).toSorted()).toEqual(ids.toSorted())
    expect(await offered('send', short(ids[0] ?? '').slice(0, 5))).toContain(short(ids[0] ?? ''))
  })

  it('offers the keys of the configuration, and no sessions after an option that takes a value', async () => {
    await world.ok('new')
    expect(await offered('config', 'permissions.t')).toEqual(['permissions.timeout'])
    expect(await offered('fork', '--title', '')).toEqual([])
  })
})

describe('the values of options', () => {
  it.each([
    [
      ['fork', 'x', '--files', ''],
      ['auto', 'worktree', 'clean', 'same', 'restore'],
    ],
    [['fork', 'x', '--files', 'w'], ['worktree']],
    [['fork', 'x', '--files', '=', 'w'], ['worktree']],
    [
      ['fork', 'x', '--files', '='],
      ['auto', 'worktree', 'clean', 'same', 'restore'],
    ],
    [['fork', 'x', '--context', 's'], ['seed']],
    [
      ['new', '--agent', 'c'],
      ['claude', 'codex'],
    ],
    [
      ['routine', 'add', 'x', '--mode', ''],
      ['background', 'main'],
    ],
    [
      ['export', 'x', '--format', ''],
      ['md', 'json'],
    ],
  ])('are offered by bash after %j', async (words, values) => {
    expect(await offered(...words)).toEqual(values)
  })

  it('are in the scripts for zsh and fish', async () => {
    expect(await world.ok('completion', 'zsh')).toContain(':MODE:(auto worktree clean same restore)')
    expect(await world.ok('completion', 'fish')).toMatch(/-l agent -r -f -a 'claude codex offline' -d/)
  })
})

it.each(['bash', 'zsh', 'fish'])('the script for %s knows every command', async (shell) => {
  const script = await world.ok('completion', shell)
  for (const name of [
    'new',
    'send',
    'chat',
    'ls',
    'tree',
    'log',
    'fork',
    'diff',
    'rm',
    'export',
    'import',
    'approve',
    'config',
    'doctor',
  ])
    expect(script).toMatch(new RegExp(`\\b${name}\\b`))
  expect(script).toContain('completion sessions')
})
