import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newHome } from '../../test/support/bough.ts'
import { thisProcess } from '../process-identity.ts'
import { announce, findServer } from './announcement.ts'

const at = (port: number) => ({ url: `http://127.0.0.1:${port}`, tokenFile: null, process: thisProcess() })

it('A server that runs is found, of several the newest, also when others have come and gone', async () => {
  const home = await newHome()
  expect(await findServer(home)).toBeNull()
  const leaveFirst = await announce(home, at(1))
  const leaveSecond = await announce(home, at(2))
  const leaveThird = await announce(home, at(3))
  expect(await findServer(home)).toEqual(at(3))
  await leaveSecond()
  expect(await findServer(home)).toEqual(at(3))
  await leaveThird()
  expect(await findServer(home)).toEqual(at(1))
  await leaveFirst()
  expect(await findServer(home)).toBeNull()
  expect(existsSync(join(home.data, 'server.json'))).toBe(false)
})

it('A server that was killed is not found, and one that runs before it is', async () => {
  const home = await newHome()
  await announce(home, at(1))
  await announce(home, { ...at(2), process: { ...thisProcess(), started: 'long ago' } })
  expect(await findServer(home)).toEqual(at(1))
})
