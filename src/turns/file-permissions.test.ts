import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { newHome, openForTest } from '../../test/support/bough.ts'
import { permissionWords } from '../tree/permission-words.ts'

const execute = promisify(execFile)

/** A session of the offline agent, whose questions are all answered and kept. */
async function openGround({
  directory,
  ...config
}: {
  permissions?: object
  worktree?: object
  directory?: string
} = {}) {
  const home = await newHome()
  await mkdir(dirname(home.config), { recursive: true })
  await writeFile(home.config, JSON.stringify({ agent: 'offline', ...config }))
  const bough = await openForTest(home)
  const session = await bough.create({ directory: directory ?? home.project })
  const asked: string[] = []
  return {
    asked,
    bough,
    project: home.project,
    data: home.data,
    /** One turn; everything that is asked gets the same answer. Returns what the tools said. */
    async turn(prompt: string, answer: 'deny' | 'once' | 'as far as offered' = 'deny') {
      const outputs: string[] = []
      for await (const event of (await bough.send(session.id, prompt)).events) {
        if (event.type === 'tool-result') outputs.push(event.result.output)
        if (event.type !== 'permission') continue
        asked.push(permissionWords(event.permission))
        const widest = event.permission.offers.at(-1)?.scope ?? 'call'
        const scope = answer === 'as far as offered' ? widest : 'call'
        await bough.answer(event.permission.id, { allow: answer !== 'deny', scope })
      }
      return outputs
    },
  }
}

it('a question about a link says where it leads, wherever it is shown', async () => {
  const { asked, project, turn, bough } = await openGround()
  const target = join(dirname(project), `${project.slice(-6)}-target.txt`)
  await symlink(target, join(project, 'notes.txt'))
  await turn('write notes.txt: hello', 'once')
  expect(asked).toEqual([`write: ${project}/notes.txt (leads to ${target})`])
  expect(await readFile(target, 'utf8')).toBe('hello\n')
  expect(await bough.permissions()).toEqual([])
})

it('an approval for the whole session covers no protected file', async () => {
  const { asked, project, turn } = await openGround()
  const outside = `write ${project}-out.txt: x`
  await turn(`${outside}\n${outside}\nwrite .envrc: x\nwrite .envrc: y`, 'as far as offered')
  const caution = ' (programs take commands from this file)'
  expect(asked).toEqual([
    `write: ${project}-out.txt`,
    `write: ${project}/.envrc${caution}`,
    `write: ${project}/.envrc${caution}`,
  ])
})

it('files that the person protects, and those that their set-up command runs, are asked', async () => {
  const { asked, turn } = await openGround({
    permissions: { protected: ['Makefile'] },
    worktree: { setup: './scripts/setup.sh --fast && npm ci' },
  })
  const outputs = await turn(
    ['Makefile', 'scripts/setup.sh', 'scripts/other.sh', 'npm', 'ci']
      .map((path) => `write ${path}: x`)
      .join('\n'),
  )
  expect(asked).toHaveLength(2)
  expect(outputs.map((output) => output.startsWith('Denied'))).toEqual([true, true, false, false, false])
})

it('in the home directory every file is asked, and nothing is done unasked', async () => {
  const home = process.env.HOME ?? ''
  const { asked, turn } = await openGround({ directory: home })
  await writeFile(join(home, 'secret'), 'secret')
  onTestFinished(() => writeFile(join(home, 'secret'), ''))
  const outputs = await turn('write .bashrc: x\nwrite notes.txt: x\nread secret\ndelete secret')
  expect(asked).toHaveLength(4)
  expect(outputs.join()).not.toContain('secret\n')
  await expect(readFile(join(home, 'notes.txt'))).rejects.toThrow('ENOENT')
})

it('no file from which programs take commands is written unasked, however it is reached', async () => {
  const { asked, project, turn, data } = await openGround()
  const git = (...args: string[]) => execute('git', ['-C', project, ...args])
  await git('init', '-q', '--separate-git-dir', join(project, 'meta'))
  await git('init', '-q', '--bare', join(project, 'planted'))
  await git('config', 'core.hooksPath', 'ci')
  await git('config', 'include.path', '../shared.inc')
  for (const [link, target] of [
    ['to-git', 'meta'],
    ['to-hook', 'ci/pre-commit'],
    ['to-data', data],
    ['to-key', join(process.env.HOME ?? '', '.ssh', 'authorized_keys')],
    ['up', '..'],
  ] as const)
    await symlink(target, join(project, link))
  const before = await filesBelow(project)
  const attacks = [
    ...[
      '.git',
      'meta/config',
      'meta/hooks/pre-commit',
      'to-git/config',
      'planted/config',
      'planted/hooks/x',
      'x/HEAD',
    ],
    ...['ci/pre-commit', 'to-hook', 'shared.inc', '.gitmodules', '.gitattributes', '.husky/pre-commit'],
    ...['.vscode/tasks.json', '.idea/workspace.xml', '.devcontainer/devcontainer.json', '.envrc', '.npmrc'],
    ...[
      '.claude/settings.json',
      '.claude.json',
      '.codex/config.toml',
      '.mcp.json',
      'sub/.CLAUDE/settings.json',
    ],
    ...['.bashrc', '.profile', '.zshrc', '.zshenv', '.bash_profile', '.config/fish/config.fish'],
    ...['to-data/config.json', 'to-key', 'up/other.txt', `up/${basename(project)}/.envrc`],
  ]
  const outputs = await turn(attacks.flatMap((path) => [`write ${path}: x`, `delete ${path}`]).join('\n'))
  // bough's own data is refused without a question, and a link is deleted where it is.
  const ownData = ['to-data/config.json']
  const links = ['to-hook', 'to-key']
  const unasked = 2 * attacks.length - asked.length - 2 * ownData.length - links.length
  expect({ unasked, denied: outputs.filter((output) => output.startsWith('Denied')).length }).toEqual({
    ...{ unasked: 0, denied: 2 * attacks.length - links.length },
  })
  expect(await filesBelow(project)).toEqual(before.filter((path) => !links.includes(path.slice(2))))
})

it('bough’s own data is closed without a question, also that of the usual home beside another', async () => {
  const { asked, data, turn } = await openGround({ permissions: { allow: ['read', 'write'] } })
  const usual = join(homedir(), '.local', 'share', 'bough')
  await mkdir(usual, { recursive: true })
  onTestFinished(() => rm(usual, { recursive: true }))
  for (const directory of [usual, data]) await writeFile(join(directory, 'token'), 'a token')
  const outputs = await turn(`read ${usual}/token\nread ${data}/token\nwrite ${data}/config.json: x`)
  expect(outputs).toEqual(Array(3).fill("Denied: these files are bough's own"))
  expect(asked).toEqual([])
})

/** All below a directory, links not followed. */
const filesBelow = async (directory: string): Promise<readonly string[]> => {
  const { stdout } = await execute('find', ['.'], { cwd: directory })
  return stdout.split('\n').sort()
}
