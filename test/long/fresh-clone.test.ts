import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const checkout = join(import.meta.dirname, '..', '..')

/** An empty machine as far as we can make one: nothing of ours on the path, no npm cache, no home, no settings. */
async function freshClone(): Promise<{ readonly clone: string; readonly env: NodeJS.ProcessEnv }> {
  const root = await mkdtemp(join(tmpdir(), 'fresh-'))
  const clone = join(root, 'bough')
  const home = join(root, 'home')
  await mkdir(home)
  await run('git', ['clone', '--quiet', checkout, clone])
  const path = process.env.PATH?.split(delimiter).filter((entry) => !entry.includes('node_modules'))
  return {
    clone,
    env: { PATH: path?.join(delimiter), HOME: home, TMPDIR: home, npm_config_cache: join(root, 'cache') },
  }
}

const megabytes = async (path: string): Promise<number> =>
  Number((await run('du', ['-sm', path])).stdout.split('\t')[0])

it('npm start in a fresh clone reaches its first screen without the agents’ packages or the test tools', async () => {
  const { clone, env } = await freshClone()
  const begun = Date.now()
  const { stdout } = await run('npm', ['start'], { cwd: clone, env })
  const seconds = (Date.now() - begun) / 1000
  const installed = join(clone, 'node_modules')
  console.log(
    `npm start: ${seconds.toFixed(1)} s to the first screen, ${await megabytes(installed)} MB installed`,
  )
  expect(stdout).toContain('├─')
  expect(stdout).toContain('Try next')
  for (const name of [
    'vitest',
    'typescript',
    '@biomejs',
    'fast-check',
    '@anthropic-ai',
    '@openai',
    'node-24',
  ]) {
    expect(existsSync(join(installed, name)), name).toBe(false)
  }
}, 300_000)

it('npm test in a fresh clone installs what it needs and passes', async () => {
  const { clone, env } = await freshClone()
  const { stdout } = await run('npm', ['test'], { cwd: clone, env, maxBuffer: 1e9 })
  expect(stdout).toMatch(/^\d+ passed, 0 failed$/m)
  expect((await run('git', ['status', '--porcelain'], { cwd: clone })).stdout).toBe('')
  // All the others go on beside it.
}, 3_600_000)
