import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../store/open.ts'
import { put } from '../../workspace/testing/ground.ts'
import { across } from '../testing/across.ts'
import { openTui } from '../testing/ground.ts'
import { files, twoSoups } from './testing/dialog-ground.ts'

it('a restore that was cut off is finished with /undo finish, and that is what errors name here', async () => {
  const { press, screen, bough, session, home, directory } = await openTui({ files, prompts: twoSoups })
  const messageID = (await bough.messages(session.id)).find(({ role }) => role === 'assistant')?.id
  await bough.fork(session.id, { ...(messageID && { messageID }), files: 'restore' })
  const restored = readFileSync(join(directory, 'soup.txt'), 'utf8')
  // As a process leaves it that dies in the middle.
  const store = await openStore(home.data, Date.now)
  onTestFinished(() => store.close())
  const [restore] = await store.restores.all()
  if (!restore) throw new Error('There is no restore.')
  const dead = { pid: 2 ** 22, started: '0', machine: restore.process.machine }
  await store.transaction((tx) => tx.restores.setState(restore.id, 'running', dead))
  put(directory, { 'soup.txt': 'half\n' })

  await screen('Esc looks back')
  press('Alt+Shift+F')
  await screen('Enter forks')
  press('4')
  await screen('● Restore here')
  await screen('Enter forks')
  press('Enter')
  await screen('[ Restore and fork ]')
  press('Enter')
  await screen(across('First take it back with /undo there, or finish it with /undo finish.'))
  press('Esc')
  await screen('Esc looks back')
  press('/undo finish', 'Enter')
  await screen('[ Finish it ]')
  press('Enter')
  await screen('Finished: 1 file changed')
  expect(readFileSync(join(directory, 'soup.txt'), 'utf8')).toBe(restored)
})
