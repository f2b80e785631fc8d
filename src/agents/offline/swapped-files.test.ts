import { mkdir, mkdtemp, readdir, readFile, realpath, rename, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { openRig, resultsIn } from './test-rig.ts'

let outside: string
let cwd: string

beforeEach(async () => {
  outside = await realpath(await mkdtemp(join(tmpdir(), 'outside-')))
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'swapped-')))
  await writeFile(join(outside, 'a.txt'), 'secret')
  await mkdir(join(cwd, 'sub'))
  await writeFile(join(cwd, 'sub', 'a.txt'), 'mine')
})

/** What a step says when something is swapped between its approval and its work. */
async function after(swap: () => Promise<void>, prompt: string) {
  const { turn } = await openRig({
    cwd,
    askPermission: async ({ path = '' }) => {
      await swap()
      return { allow: true, path }
    },
  })
  return resultsIn(await turn(prompt))[0]
}

const steps = [
  'read sub/a.txt',
  'write sub/a.txt: x',
  'append sub/a.txt: x',
  'write sub/new.txt: x',
  'delete sub/a.txt',
]

it.each(steps)(
  '“%s” does nothing outside when its directory became a link after the approval',
  async (step) => {
    const swap = async () => {
      await rename(join(cwd, 'sub'), join(cwd, 'before'))
      await symlink(outside, join(cwd, 'sub'))
    }
    const result = await after(swap, step)
    expect(result).toMatchObject({ exitCode: 1 })
    expect(result?.output).not.toContain('secret')
    expect(await readdir(outside)).toEqual(['a.txt'])
    expect(await readFile(join(outside, 'a.txt'), 'utf8')).toBe('secret')
  },
)

it.each(steps.slice(0, 3))(
  '“%s” does nothing outside when its file became a link after the approval',
  async (step) => {
    const swap = async () => {
      await rename(join(cwd, 'sub', 'a.txt'), join(cwd, 'before'))
      await symlink(join(outside, 'a.txt'), join(cwd, 'sub', 'a.txt'))
    }
    const result = await after(swap, step)
    expect(result).toMatchObject({ exitCode: 1, output: expect.stringContaining('ELOOP') })
    expect(await readFile(join(outside, 'a.txt'), 'utf8')).toBe('secret')
  },
)
