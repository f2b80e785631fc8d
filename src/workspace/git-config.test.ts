import { execFile } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { parseGitConfig } from './git-config.ts'

const execute = promisify(execFile)

/** The same settings, as git itself reads them: a section's own name and its key, without what stands between. */
async function gitReads(text: string): Promise<readonly string[]> {
  const file = join(await mkdtemp(join(tmpdir(), 'config-')), 'config')
  await writeFile(file, text)
  const { stdout } = await execute('git', ['config', '--file', file, '--list', '-z'])
  return stdout
    .split('\0')
    .filter(Boolean)
    .map((record) => {
      const [name = '', ...value] = record.split('\n')
      return `${name.split('.')[0]}.${name.split('.').at(-1)}=${value.join('\n')}`
    })
}

it.each([
  '[core]\n\thooksPath = hooks\n',
  '\uFEFF[CORE]\r\n\tHooksPath=hooks\r\n',
  '[core] hooksPath = "a b" # that is it\n',
  '[core]\nhooksPath = a\\\n  b ; c\n',
  '[core]\n hooksPath = "a # b" c  d\t\n',
  '[core]\nhooksPath = \\"x\\" "y\\tz"\n',
  '[include]\npath = ~/x\n[includeIf "gitdir:/a b]/"]\n path = y\n',
  '[a "b\\"]"] [core] hooksPath = z\n',
  '# [core]\n; hooksPath = no\n[core]\n  # hooksPath = no\n bare\n hooksPath =\n hooksPath = yes',
  '[core]\n a = "x\\\ny"\n [core "sub"] hooksPath = q\n[core]\nb=1',
  '[core]\n# x \\\nhooksPath = a\n',
  '[core]\na = b # c \\\nhooksPath = d\n',
  '[core]\na = "b # c" \\\nhooksPath = d\n',
])('git’s config %j is read as git reads it', async (text) => {
  const found = parseGitConfig(text).map(({ section, key, value }) => `${section}.${key}=${value}`)
  expect(found).toEqual(await gitReads(text))
})
