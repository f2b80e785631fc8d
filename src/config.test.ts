import { mkdtemp, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { optionOf, readConfig, unsetConfig, writeConfig } from './config.ts'
import { configOptions } from './config-options.ts'
import type { Home } from './home.ts'

async function makeHome(text?: string): Promise<Home> {
  const data = await mkdtemp(join(tmpdir(), 'config-'))
  const home = { data, config: join(data, 'config.json') }
  if (text !== undefined) await writeFile(home.config, text)
  return home
}

const defaults = {
  agent: null,
  model: null,
  claude: { model: null, executable: null },
  codex: { model: null, executable: null, sandbox: 'keep' },
  permissions: { allow: [], deny: [], protected: [], timeout: 600 },
  forks: { person: 'the person', limit: 4, idle: 10, files: 'auto', background: { files: 'same' } },
  server: { turns: 64, workspaces: [] },
  discord: { token: null, owner: null },
  tui: { theme: 'auto' },
  sandbox: { mode: null, network: 'on' },
  worktree: { setup: null },
}

describe('the configuration', () => {
  it('has a default for every option', async () => {
    expect(await readConfig(await makeHome())).toEqual(defaults)
    expect(await readConfig(await makeHome('{}'))).toEqual(defaults)
  })

  it('keeps what the person set, and only that', async () => {
    const home = await makeHome()
    await writeConfig(home, 'permissions.timeout', '60')
    await writeConfig(home, 'permissions.allow', '["run(git status*)"]')
    const config = await writeConfig(home, 'model', 'large')
    expect(config).toEqual({
      ...defaults,
      model: 'large',
      permissions: { allow: ['run(git status*)'], deny: [], protected: [], timeout: 60 },
    })
    expect(await readConfig(home)).toEqual(config)
    expect(JSON.parse(await readFile(home.config, 'utf8'))).toEqual({
      model: 'large',
      permissions: { allow: ['run(git status*)'], timeout: 60 },
    })
  })

  it('keeps how forks are handled: what agents call the person, how many runs at once, how long is idle', async () => {
    const home = await makeHome()
    await writeConfig(home, 'forks.person', 'Ann')
    await writeConfig(home, 'forks.limit', '2')
    const config = await writeConfig(home, 'forks.idle', '30')
    expect(config).toEqual({ ...defaults, forks: { ...defaults.forks, person: 'Ann', limit: 2, idle: 30 } })
    expect(await readConfig(home)).toEqual(config)
    await unsetConfig(home, 'forks.limit')
    expect(await readConfig(home)).toMatchObject({
      forks: { ...defaults.forks, person: 'Ann', idle: 30 },
    })
  })

  it('puts the default back', async () => {
    const home = await makeHome('{"permissions": {"timeout": 5}, "agent": "codex"}')
    await unsetConfig(home, 'permissions.timeout')
    expect(await readConfig(home)).toEqual({ ...defaults, agent: 'codex' })
    expect(JSON.parse(await readFile(home.config, 'utf8'))).toEqual({ agent: 'codex' })
  })

  it('can be read option by option', async () => {
    const config = await readConfig(await makeHome('{"agent": "codex", "permissions": {"deny": ["run"]}}'))
    expect(configOptions.map(({ key }) => [key, optionOf(config, key)])).toEqual([
      ['agent', 'codex'],
      ['model', null],
      ['claude.model', null],
      ['claude.executable', null],
      ['codex.model', null],
      ['codex.executable', null],
      ['codex.sandbox', 'keep'],
      ['permissions.allow', []],
      ['permissions.deny', ['run']],
      ['permissions.protected', []],
      ['permissions.timeout', 600],
      ['forks.person', 'the person'],
      ['forks.limit', 4],
      ['forks.idle', 10],
      ['forks.files', 'auto'],
      ['forks.background.files', 'same'],
      ['server.turns', 64],
      ['server.workspaces', []],
      ['discord.token', null],
      ['discord.owner', null],
      ['tui.theme', 'auto'],
      ['sandbox.mode', null],
      ['sandbox.network', 'on'],
      ['worktree.setup', null],
    ])
    expect(() => optionOf(config, 'permissions')).toThrow('There is no option "permissions".')
  })

  it.each([
    ['{"agnet": "x"}', 'has "agnet", which is no option'],
    ['{"permissions": {"alow": []}}', 'has "permissions.alow", which is no option'],
    ['{"permissions": {"timeout": "soon"}}', '"permissions.timeout" in'],
    ['{"permissions": {"timeout": 0}}', 'must be a whole number of seconds from 1 to 86400'],
    ['{"permissions": {"allow": ["ok", 3]}}', '"permissions.allow" in'],
    ['{"permissions": []}', '"permissions" in'],
    ['{"forks": {"person": ""}}', '"forks.person" in'],
    ['{"forks": {"limit": 0}}', 'must be a whole number from 1 to 86400'],
    ['{"forks": {"idle": 1.5}}', 'must be a whole number of minutes from 1 to 86400'],
    ['{"forks": {"idel": 5}}', 'has "forks.idel", which is no option'],
    ['{"forks": 4}', '"forks" in'],
    ['{"agent": ""}', '"agent" in'],
    ['{"tui": {"theme": "pink"}}', 'must be auto, dark, light or plain'],
    ['[]', 'must be a JSON object'],
    ['null', 'must be a JSON object'],
    ['{', 'is not valid JSON'],
  ])('%s is refused, with the file and what is wrong', async (text, complaint) => {
    const home = await makeHome(text)
    const error = await readConfig(home).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'config_invalid' })
    expect(error).toHaveProperty('message', expect.stringContaining(complaint))
    expect(error).toHaveProperty('message', expect.stringContaining(home.config))
  })

  it.each([
    ['timeout', '5'],
    ['permissions', '{}'],
    ['__proto__', 'x'],
    ['permissions.timeout', 'soon'],
    ['permissions.timeout', '1.5'],
    ['permissions.allow', 'run'],
    ['permissions.allow', '[""]'],
    ['permissions.protected', '.envrc'],
    ['forks.person', ' '],
    ['forks.limit', '0'],
    ['forks.limit', '86401'],
    ['forks.idle', 'soon'],
    ['forks.files', 'restore'],
    ['forks.background.files', 'auto'],
    ['forks', '{}'],
    ['agent', ' '],
    ['agent', 'nobody'],
    ['discord.owner', 'heron'],
    ['tui.theme', 'pink'],
  ])('does not let %s be set to %j, and changes nothing', async (key, value) => {
    const home = await makeHome('{"agent": "codex"}')
    await expect(writeConfig(home, key, value)).rejects.toMatchObject({ code: 'bad_input' })
    expect(await readFile(home.config, 'utf8')).toBe('{"agent": "codex"}')
  })

  it('takes numbers within the bounds of the option, and says them and that nothing was written for others', async () => {
    const home = await makeHome()
    for (const option of configOptions) {
      if (option.kind !== 'number') continue
      const { key, from, to } = option
      for (const value of [from, to])
        expect(optionOf(await writeConfig(home, key, `${value}`), key)).toBe(value)
      for (const value of [from - 1, to + 1]) {
        const words = new RegExp(`^"${key}" must be .* from ${from} to ${to}\\. Nothing was written\\.$`)
        await expect(writeConfig(home, key, `${value}`)).rejects.toThrow(words)
      }
      expect(optionOf(await readConfig(home), key)).toBe(to)
    }
  })

  it('lets a slip in the file be mended by unsetting it', async () => {
    const home = await makeHome('{"agnet": "x", "model": "large"}')
    await unsetConfig(home, 'agnet')
    expect(await readConfig(home)).toMatchObject({ model: 'large' })
    await expect(unsetConfig(home, 'agnet')).rejects.toMatchObject({ code: 'bad_input' })
  })

  it('lets several slips be mended one after the other', async () => {
    const home = await makeHome('{"agnet": "x", "permissions.timeout": 60, "forks": {"limit": 0, "idel": 5}}')
    for (const key of ['permissions.timeout', 'forks.idel', 'forks.limit', 'agnet'])
      await unsetConfig(home, key)
    expect(await readFile(home.config, 'utf8')).toBe('{}\n')
  })

  it('says how an option is written that stands in the file with its dots', async () => {
    const home = await makeHome('{"permissions.timeout": 60}')
    await expect(readConfig(home)).rejects.toThrow(
      'Write it as {"permissions": {"timeout": 60}}; "bough config permissions.timeout 60" does that for you.',
    )
    await writeConfig(home, 'permissions.timeout', '60')
    expect(JSON.parse(await readFile(home.config, 'utf8'))).toEqual({ permissions: { timeout: 60 } })
    const secret = await makeHome('{"discord.token": "s3cret"}')
    await expect(readConfig(secret)).rejects.toThrow('{"discord": {"token": …}}')
  })

  it('is for its owner only, written whole, and leaves nothing else behind', async () => {
    const home = await makeHome()
    await writeConfig(home, 'agent', 'codex')
    expect((await stat(home.config)).mode & 0o777).toBe(0o600)
    expect(await readdir(dirname(home.config))).toEqual(['config.json'])
  })

  it('stays a link where it was one', async () => {
    const home = await makeHome()
    const dotfile = join(home.data, 'dotfiles.json')
    await writeFile(dotfile, '{}')
    await symlink(dotfile, home.config)
    await writeConfig(home, 'agent', 'codex')
    expect(await readlink(home.config)).toBe(dotfile)
    expect(JSON.parse(await readFile(dotfile, 'utf8'))).toEqual({ agent: 'codex' })
  })
})
