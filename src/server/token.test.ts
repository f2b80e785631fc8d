import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { ownToken, readToken, usualTokenFile } from './token.ts'

const umask = process.umask()
afterEach(() => void process.umask(umask))

const newHome = async () => {
  const root = await mkdtemp(join(tmpdir(), 'token-'))
  return { data: join(root, 'data'), config: join(root, 'data', 'config.json') }
}
const modeOf = async (path: string) => (await stat(path)).mode & 0o777
const badInput = (words: string | RegExp) => ({ code: 'bad_input', message: expect.stringMatching(words) })

it.each([0o000, 0o022, 0o077, 0o177])(
  'is made for its owner alone, whatever the umask (%o)',
  async (mask) => {
    const home = await newHome()
    process.umask(mask)
    const { value, file } = await ownToken(undefined, home, undefined)
    process.umask(umask)
    expect(file).toBe(usualTokenFile(home))
    expect(await modeOf(usualTokenFile(home))).toBe(0o600)
    if ((mask & 0o700) === 0) expect(await modeOf(home.data)).toBe(0o700)
    // 256 bits, and the same from then on.
    expect(Buffer.from(value, 'base64url').length).toBe(32)
    expect(await ownToken(undefined, home, undefined)).toEqual({ value, file })
    expect(await readdir(home.data)).toEqual(['token'])
  },
)

it('of many that start at once, one makes it and all use it', async () => {
  const home = await newHome()
  const tokens = await Promise.all(Array.from({ length: 20 }, () => ownToken(undefined, home, undefined)))
  expect(new Set(tokens.map(({ value }) => value)).size).toBe(1)
  expect(await readFile(usualTokenFile(home), 'utf8')).toBe(`${tokens[0]?.value}\n`)
  expect(await readdir(home.data)).toEqual(['token'])
})

it.each([0o640, 0o604, 0o660, 0o622, 0o601])('is refused when others could get at it (%o)', async (mode) => {
  const file = usualTokenFile(await newHome())
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${'a'.repeat(40)}\n`)
  await chmod(file, mode)
  await expect(readToken(file)).rejects.toMatchObject(badInput(/chmod 600/))
  await chmod(file, 0o600)
  expect(await readToken(file)).toBe('a'.repeat(40))
})

it.each([
  '',
  '\n',
  'short',
  'a'.repeat(15),
  'a token with spaces in it',
  'ä'.repeat(20),
  `${'a'.repeat(20)}\0`,
])('is refused when it is no token (%j), and the words do not tell it', async (text) => {
  const file = usualTokenFile(await newHome())
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text, { mode: 0o600 })
  const failure = await readToken(file).catch((error) => error)
  expect(failure).toMatchObject(badInput(/16 characters/))
  if (text.trim().length > 4) expect(failure.message).not.toContain(text)
  expect(await readFile(file, 'utf8')).toBe(text)
})

it('is refused in a link, a directory and a pipe, and none of them is written to', async () => {
  const home = await newHome()
  await mkdir(home.data, { recursive: true })
  const real = join(home.data, 'real')
  await writeFile(real, 'a'.repeat(40), { mode: 0o600 })
  const [link, dangling, directory, pipe] = ['link', 'dangling', 'directory', 'pipe'].map((name) =>
    join(home.data, name),
  )
  await symlink(real, link ?? '')
  await symlink(join(home.data, 'nothing'), dangling ?? '')
  await mkdir(directory ?? '', { mode: 0o700 })
  execFileSync('mkfifo', ['-m', '600', pipe ?? ''])
  for (const file of [link, dangling])
    await expect(ownToken(undefined, home, file)).rejects.toMatchObject(badInput(/symbolic link/))
  for (const file of [directory, pipe])
    await expect(ownToken(undefined, home, file)).rejects.toMatchObject(badInput(/is no file/))
  expect((await readdir(home.data)).toSorted()).toEqual(['dangling', 'directory', 'link', 'pipe', 'real'])
})

it('BOUGH_TOKEN comes first, makes no file, and must be good enough', async () => {
  const home = await newHome()
  const BOUGH_TOKEN = 'from-the-environment'
  expect(await ownToken(BOUGH_TOKEN, home, undefined)).toEqual({ value: BOUGH_TOKEN, file: null })
  await expect(stat(home.data)).rejects.toMatchObject({ code: 'ENOENT' })
  for (const bad of ['short', 'a'.repeat(15), 'with spaces in it, long'])
    await expect(ownToken(bad, home, undefined)).rejects.toMatchObject(badInput(/BOUGH_TOKEN/))
})

it('where it cannot be written, the words say what to do', async () => {
  const home = await newHome()
  await writeFile(home.data, 'a file where the directory should be')
  await expect(ownToken(undefined, home, undefined)).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('token'),
  })
})
