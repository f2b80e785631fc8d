import { expect, it, onTestFinished } from 'vitest'
import { newProject } from '../../test/support/project.ts'
import { thisProcess } from '../process-identity.ts'
import { openStore } from '../store/open.ts'
import { mustNotBeRestoring, onceFree } from './restoring.ts'

it('A half-done restore that somebody goes on with after the look keeps others from beginning there', async () => {
  const { bough, home, root, sessionID, turn } = await newProject()
  const first = await turn('write a.txt: one')
  await turn('write a.txt: two')
  await bough.restore(sessionID, { messageID: first })
  const store = await openStore(home.data, Date.now)
  onTestFinished(() => store.close())
  const [restore] = await store.restores.all()
  if (!restore) throw new Error('there is none')
  const move = (state: 'half' | 'running') =>
    store.transaction((tx) => tx.restores.setState(restore.id, state, thisProcess()))
  await move('half')
  let begun = 0
  const beginning = onceFree(
    () => mustNotBeRestoring(store, root),
    async ({ halfDone, stillFree }) => {
      expect(halfDone).toMatchObject({ id: restore.id, state: 'half' })
      await move('running')
      await store.transaction(stillFree)
      begun++
    },
  )
  await expect(beginning).rejects.toMatchObject({ code: 'session_busy' })
  expect(begun).toBe(0)
})
