import { chmod, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, it } from 'vitest'
import { checkClaude, findClaude } from './find-claude.ts'

/** An environment without anything of the person's, and with a program of that version. */
async function environment(version?: string): Promise<NodeJS.ProcessEnv & { readonly HOME: string }> {
  const home = await mkdtemp(join(tmpdir(), 'find-claude-'))
  if (version !== undefined) {
    await writeFile(join(home, 'claude'), `#!/bin/sh\necho "${version}"\n`)
    await chmod(join(home, 'claude'), 0o755)
  }
  return { HOME: home, PATH: [home, '/usr/bin', '/bin'].join(delimiter) }
}

it.each([
  ['2.1.261 (Claude Code)', true],
  ['2.2.0 (Claude Code)', true],
  ['10.0.0', true],
  ['2.1.260 (Claude Code)', false],
  ['2.0.999 (Claude Code)', false],
  ['1.9.400', false],
  ['no version at all', false],
])('a program of the person’s own comes first, unless it is too old: %s', async (version, isTaken) => {
  const env = await environment(version)
  const { executable, sdk } = await findClaude(env, null)
  expect(executable).toBe(isTaken ? join(env.HOME, 'claude') : null)
  expect(sdk.query).toBeTypeOf('function')
})

it('a program that the person chose is taken as it is, and must be there', async () => {
  const env = await environment('1.0.0')
  expect((await findClaude(env, join(env.HOME, 'claude'))).executable).toBe(join(env.HOME, 'claude'))
  await expect(findClaude(env, '/nowhere/claude')).rejects.toThrow('There is no program /nowhere/claude')
  expect(await checkClaude(env, '/nowhere/claude')).toMatchObject({ installed: false, ready: false })
})

it('it is ready when there is a sign that somebody signed in, and otherwise says how', async () => {
  const env = await environment()
  expect(await checkClaude(env, null)).toMatchObject({
    installed: true,
    ready: false,
    fix: expect.stringContaining('ANTHROPIC_API_KEY'),
  })
  expect(await checkClaude({ ...env, ANTHROPIC_API_KEY: 'x' }, null)).toMatchObject({ ready: true })
  await writeFile(join(env.HOME, '.credentials.json'), '{}')
  expect(await checkClaude({ ...env, CLAUDE_CONFIG_DIR: env.HOME }, null)).toMatchObject({ ready: true })
})
