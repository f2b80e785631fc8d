import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newHome, openForTest } from '../../test/support/bough.ts'
import { createOfflineDriver } from '../agents/offline/offline.ts'
import { KnownDirectories } from './known-directories.ts'

async function ground() {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'ground-')))
  const [root, work, outside] = [join(top, 'ws'), join(top, 'work'), join(top, 'outside')]
  for (const path of [root, join(root, 'sub'), join(work, 'deep'), outside, join(top, 'ws-evil')])
    await mkdir(path, { recursive: true })
  const bough = await openForTest(await newHome(), { drivers: [createOfflineDriver()] })
  await bough.create({ directory: work })
  const known = await KnownDirectories.open(bough, [root])
  const admits = (path: string) =>
    known.admit(path).catch((error) => {
      expect(error.message).not.toContain(top)
      return error.code
    })
  return { top, root, work, outside, admits }
}

it('what lies in them is admitted, by its real path', async () => {
  const { top, root, work, admits } = await ground()
  for (const path of [root, work, join(root, 'sub'), join(work, 'deep'), join(root, 'not', 'there', 'yet')])
    expect(await admits(path)).toBe(path)
  expect(await admits(`${root}/sub/../`)).toBe(root)
  await symlink(root, join(top, 'link'))
  expect(await admits(join(top, 'link', 'sub'))).toBe(join(root, 'sub'))
  expect(await admits(join(root, '..foo'))).toBe(join(root, '..foo'))
})

it('what lies elsewhere is not', async () => {
  const { top, root, admits } = await ground()
  const elsewhere = [
    ...['/', '/etc', '/etc/passwd', top, join(top, 'outside'), join(top, 'ws-evil'), join(top, 'w')],
    ...[`${root}/..`, `${root}/../outside`, `${root}/sub/../../outside`, `${root}/./../ws-evil`],
    ...['', '.', '..', 'sub', '~', '~/x', `~${root}`, `file://${root}`, ` ${root}`],
    ...[`${root}\0`, `${root}/sub\0/../../outside`, `\0${root}`],
    // Alike to look at, and another name: full width letters and dots, a slash that is none.
    ...[root.replace('/ws', '/ｗs'), `${root}∕..∕..`.replace(root, `${top}／ws`), root.replace('ws', 'wѕ')],
  ]
  for (const path of elsewhere) expect([path, await admits(path)]).toEqual([path, 'outside_workspaces'])
})

it('links lead where they lead, whenever they were made', async () => {
  const { top, root, work, outside, admits } = await ground()
  await symlink(outside, join(root, 'out'))
  await symlink('..', join(root, 'up'))
  await symlink(join(outside, 'later'), join(root, 'dangling'))
  await symlink(join(root, 'loop'), join(root, 'loop'))
  await symlink('/', join(work, 'deep', 'top'))
  for (const path of ['out', 'out/x', 'up', 'up/outside', 'dangling', 'dangling/x', 'loop', 'loop/x'])
    expect([path, await admits(join(root, path))]).toEqual([path, 'outside_workspaces'])
  expect(await admits(join(work, 'deep', 'top', 'etc'))).toBe('outside_workspaces')
  // A directory above becomes a link, and so does what a session works in.
  await rename(join(root, 'sub'), join(root, 'moved'))
  await symlink(outside, join(root, 'sub'))
  expect(await admits(join(root, 'sub', 'new'))).toBe('outside_workspaces')
  await rm(work, { recursive: true })
  await symlink(outside, work)
  for (const path of [work, join(work, 'x'), outside]) expect(await admits(path)).toBe('outside_workspaces')
  // Nor can what the server was started for be led elsewhere.
  await rename(root, join(top, 'old'))
  await symlink(outside, root)
  for (const path of [root, join(root, 'x'), outside]) expect(await admits(path)).toBe('outside_workspaces')
})

it('a file in the way is nowhere', async () => {
  const { root, admits } = await ground()
  await writeFile(join(root, 'file'), '')
  expect(await admits(join(root, 'file', 'below'))).toBe('outside_workspaces')
  expect(await admits(join(root, 'x'.repeat(300)))).toBe('outside_workspaces')
})
