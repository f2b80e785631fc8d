import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { createClaudeDriver } from '../src/agents/claude/claude.ts'
import { createCodexDriver } from '../src/agents/codex/codex.ts'
import { newHome, openForTest } from './support/bough.ts'
import { claudeHome, lastPrompt, startFakeAnthropic, text, toolUse } from './support/fake-anthropic.ts'

const execute = promisify(execFile)

/** Everything below a directory with its content, links not followed. */
async function contentOf(directory: string): Promise<string> {
  const { stdout } = await execute('sh', ['-c', 'find . | sort; find . -type f -exec cksum {} + | sort'], {
    cwd: directory,
  })
  return stdout
}

/** By bough, or by Claude itself, which overwrites nothing that it has not read. */
const refused = /^Denied|File has not been read yet/

/** One turn of the real Claude in which the model calls a tool for each of these; every question is denied. */
async function attack(
  directory: string,
  calls: readonly { readonly name: string; readonly input: object }[],
  home: Awaited<ReturnType<typeof newHome>>,
) {
  const fake = await startFakeAnthropic((request) => {
    const isPrompt = lastPrompt(request) === 'go'
    const uses = isPrompt ? calls.map(({ name, input }) => toolUse(name, input)) : []
    return { content: [text('Now.'), ...uses] }
  })
  onTestFinished(() => fake.close())
  const env = await claudeHome(fake)
  await mkdir(dirname(home.config), { recursive: true })
  await writeFile(home.config, JSON.stringify({ permissions: { allow: ['run'] } }))
  const claude = createClaudeDriver({ env, model: 'claude-sonnet-5' })
  const codex = createCodexDriver({ mcpCommand: [], worktreesOf: async () => [] })
  const bough = await openForTest(home, { drivers: [claude, codex] })
  const { id } = await bough.create({ agent: 'claude', directory })
  const asked: string[] = []
  const outputs: string[] = []
  for await (const event of (await bough.send(id, 'go')).events) {
    if (event.type === 'tool-result') outputs.push(event.result.output)
    if (event.type !== 'permission') continue
    asked.push(event.permission.detail)
    await bough.answer(event.permission.id, { allow: false })
  }
  return { asked, outputs, sent: JSON.stringify(fake.requests.map(({ body }) => body)) }
}

it('Claude writes no file from which programs take commands, and none outside, unasked', async () => {
  const home = await newHome()
  const { project, data } = home
  await execute('git', ['init', '-q', '--separate-git-dir', join(project, 'meta'), project])
  await execute('git', ['init', '-q', '--bare', join(project, 'planted')])
  await execute('git', ['-C', project, 'config', 'core.hooksPath', 'ci'])
  await symlink('ci/pre-commit', join(project, 'to-hook'))
  await symlink(data, join(project, 'to-data'))
  await symlink(join(homedir(), '.ssh', 'authorized_keys'), join(project, 'to-key'))
  await symlink('..', join(project, 'up'))
  const before = await contentOf(project)
  const attacks = [
    ...[
      '.git',
      'meta/hooks/pre-commit',
      'planted/hooks/x',
      'planted/config.worktree',
      'x/HEAD',
      'ci/pre-commit',
    ],
    ...['to-hook', 'to-key', 'to-data/config.json', 'up/other.txt', `up/${basename(project)}/.envrc`],
    ...['.husky/pre-commit', '.vscode/tasks.json', '.idea/x.xml', '.devcontainer/x.json', '.envrc', '.npmrc'],
    ...['.gitmodules', '.gitattributes', '.claude/settings.json', '.claude.json', '.codex/config.toml'],
    ...['.mcp.json', '.bashrc', '.profile', '.zshrc', '.zshenv', '.config/fish/config.fish'],
  ]
  const calls = attacks.map((path) => ({
    name: 'Write',
    input: { file_path: join(project, path), content: 'x' },
  }))
  const { outputs } = await attack(project, calls, home)
  expect(outputs).toHaveLength(attacks.length)
  expect(outputs.filter((output) => !refused.test(output))).toEqual([])
  expect(await contentOf(project)).toBe(before)
})

it('Claude reads and writes nothing in the home directory unasked', async () => {
  const home = await newHome()
  const own = homedir()
  await mkdir(join(own, '.ssh'), { recursive: true })
  await writeFile(join(own, '.ssh', 'id_rsa'), 'very secret')
  const names = ['.bashrc', '.ssh/authorized_keys', '.gitconfig', '.config/autostart/x.desktop', 'notes.txt']
  const calls = [
    ...names.map((name) => ({ name: 'Write', input: { file_path: join(own, name), content: 'x' } })),
    { name: 'Read', input: { file_path: join(own, '.ssh', 'id_rsa') } },
  ]
  const before = await contentOf(own)
  const { asked, outputs, sent } = await attack(own, calls, home)
  expect(outputs.filter((output) => !refused.test(output))).toEqual([])
  expect(outputs.length).toBe(asked.length)
  expect(sent).not.toContain('very secret')
  for (const name of names)
    expect(before.includes(`./${name}\n`)).toBe((await contentOf(own)).includes(`./${name}\n`))
})
