import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, it, onTestFinished, vi } from 'vitest'
import { newProject } from '../../test/support/project.ts'
import { thisProcess } from '../process-identity.ts'
import { openStore } from '../store/open.ts'
import type { Workspace } from '../tree/workspace.ts'
import { mendHalfMade } from './half-made.ts'

/** A worktree that a process which is gone was making. */
async function halfMade() {
  const { bough, home, sessionID, turn } = await newProject()
  await turn('write a.txt: one')
  const { directory, workspaceID } = await bough.fork(sessionID, { files: 'worktree' })
  const store = await openStore(home.data, Date.now)
  onTestFinished(() => store.close())
  const dead = { ...thisProcess(), started: 'long ago' }
  const move = (from: Workspace['state'], to: Workspace['state']) =>
    store.transaction((tx) => tx.workspaces.move(workspaceID ?? 'wsp_', from, to, dead))
  await move('ready', 'making')
  const mend = () =>
    mendHalfMade({ store, clock: Date.now, dataDirectory: home.data, process: thisProcess() })
  return { store, directory, move, mend }
}

it('A worktree that a dead process was making is taken back', async () => {
  const { store, directory, mend } = await halfMade()
  await mend()
  expect(existsSync(directory)).toBe(false)
  expect(await store.workspaces.all()).toEqual([])
})

it('One that was finished after the look stays: its process may be over by then', async () => {
  const { store, directory, move, mend } = await halfMade()
  const { underWay } = store.workspaces
  vi.spyOn(store.workspaces, 'underWay').mockImplementationOnce(async () => {
    const seen = await underWay()
    await move('making', 'ready')
    return seen
  })
  await mend()
  expect(existsSync(directory)).toBe(true)
  expect(await store.workspaces.all()).toMatchObject([{ path: directory, state: 'ready' }])
})

it('One in which a git still hangs keeps nobody who opens bough waiting, and goes when that has ended', async () => {
  const { store, directory, mend } = await halfMade()
  const child = spawn('sleep', ['1000'], { cwd: directory, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'spawn')
  const before = performance.now()
  for (const _ of [1, 2, 3]) await mend()
  // It took ten seconds each time.
  expect(performance.now() - before).toBeLessThan(10_000)
  expect([existsSync(directory), (await store.workspaces.all()).length]).toEqual([true, 1])
  child.kill('SIGKILL')
  await once(child, 'exit')
  await mend()
  expect([existsSync(directory), (await store.workspaces.all()).length]).toEqual([false, 0])
})
