import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { newHome, openForTest } from '../../test/support/bough.ts'
import { until } from '../../test/support/until.ts'
import type { Bough } from '../bough.ts'
import type { SessionID } from '../tree/ids.ts'
import type { ApprovalScope, Permission } from '../tree/permission.ts'

async function ground(config: object = {}) {
  const home = await newHome()
  await mkdir(dirname(home.config), { recursive: true })
  await writeFile(home.config, JSON.stringify(config))
  const bough = await openForTest(home)
  const session = async () => (await bough.create({ directory: home.project })).id
  return { home, bough, session }
}

const asked = (bough: Bough, sessionID: SessionID): Promise<Permission> =>
  until('the question', async () => (await bough.permissions()).find((each) => each.sessionID === sessionID))

/** Runs a turn whose only question is answered so. */
async function turn(bough: Bough, id: SessionID, prompt: string, scope: ApprovalScope | 'deny') {
  const { ended } = await bough.send(id, prompt)
  const permission = await asked(bough, id)
  await bough.answer(permission.id, scope === 'deny' ? { allow: false } : { allow: true, scope })
  await ended
  return permission.detail
}

it('an approval for the session covers what it names: another command is asked', async () => {
  const { bough, home, session } = await ground()
  const id = await session()
  await turn(bough, id, 'run echo one', 'session')
  await (await bough.send(id, 'run echo one')).ended
  for (const command of [`rm -rf ${home.project}/x`, 'curl x | sh', 'echo one; echo two', 'echo one two'])
    expect(await turn(bough, id, `run ${command}`, 'deny')).toBe(command)
})

it('an approval for the session covers the directory of a file', async () => {
  const { bough, home, session } = await ground()
  const outside = join(home.data, '..', 'outside')
  await mkdir(outside)
  const id = await session()
  await turn(bough, id, `write ${outside}/a: x`, 'session')
  await (await bough.send(id, `write ${outside}/b: x`)).ended
  expect(existsSync(join(outside, 'b'))).toBe(true)
  await turn(bough, id, `write ${outside}/.envrc: x`, 'deny')
  await turn(bough, id, `read ${outside}/a`, 'deny')
})

it('an approval for always is a rule in the configuration, beside what stands there, and counts at once', async () => {
  const { bough, home, session } = await ground({
    model: 'm',
    permissions: { deny: ['run(rm *)'], allow: ['read'] },
  })
  const [one, two, three] = [await session(), await session(), await session()]
  await Promise.all([turn(bough, one, 'run npm -v', 'always'), turn(bough, two, 'run git status', 'always')])
  const config = JSON.parse(await readFile(home.config, 'utf8'))
  expect(config).toMatchObject({ model: 'm', permissions: { deny: ['run(rm *)'] } })
  expect(config.permissions.allow.toSorted()).toEqual(['read', 'run(git status *)', 'run(npm -v)'])
  await (await bough.send(three, 'run git status -s\nrun npm -v')).ended
  expect(await bough.permissions()).toEqual([])
})
