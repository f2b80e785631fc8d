import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkCodex, findCodex } from './find-codex.ts'

const newHome = async (): Promise<NodeJS.ProcessEnv> => {
  const HOME = await mkdtemp(join(tmpdir(), 'home-'))
  await mkdir(join(HOME, '.codex'))
  return { HOME, PATH: '/usr/bin:/bin' }
}

test("the person's own program comes before the one beside bough", async () => {
  const env = await newHome()
  expect(await findCodex(env, null)).toMatch(/node_modules.*codex$/)
  const own = join(env.HOME ?? '', 'codex')
  await writeFile(own, '#!/bin/sh\necho codex-cli 9.9.9\n')
  await chmod(own, 0o755)
  const found = { ...env, PATH: `${env.HOME}:${env.PATH}` }
  expect(await findCodex(found, null)).toBe(own)
  expect(await checkCodex(found, null)).toMatchObject({ detail: expect.stringContaining('codex-cli 9.9.9') })
})

test('a program that was chosen and is not there is an error that names it', async () => {
  const env = await newHome()
  await expect(findCodex(env, 'no-such-codex')).rejects.toThrow('There is no program no-such-codex')
  expect(await checkCodex(env, 'no-such-codex')).toMatchObject({ installed: false, ready: false })
})

test('the check says how to sign in when nobody is', async () => {
  const env = await newHome()
  expect(await checkCodex(env, null)).toEqual({
    installed: true,
    ready: false,
    certain: true,
    detail: expect.stringMatching(/codex-cli \d.*not signed in/),
    fix: 'codex login',
  })
  expect(await checkCodex({ ...env, OPENAI_API_KEY: 'k' }, null)).toMatchObject({ ready: true })
})

test.each([
  ['auth.json', '{}'],
  ['config.toml', 'model_provider = "mine"\n'],
])('who has %s is signed in', async (name, text) => {
  const env = await newHome()
  await writeFile(join(env.HOME ?? '', '.codex', name), text)
  expect(await checkCodex(env, null)).toMatchObject({ installed: true, ready: true })
})

test.each([
  ['Logged in using ChatGPT', { ready: true }],
  ['Not logged in', { ready: false, certain: true }],
  ["error: unrecognized subcommand 'status'", { ready: false, certain: undefined }],
])('who has left no sign is what Codex itself says: %s', async (says, check) => {
  const env = await newHome()
  const program = join(env.HOME ?? '', 'codex')
  const script = `#!/bin/sh\n[ "$1" = --version ] && exec echo codex-cli 9.9.9\necho "${says}" >&2; exit 1\n`
  await writeFile(program, script, { mode: 0o755 })
  const { ready, certain } = await checkCodex(env, program)
  expect({ ready, certain }).toMatchObject(check)
})
