import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findServer } from '../src/server/announcement.ts'
import type { Message } from '../src/tree/message.ts'
import { commandGone, commandRuns, endCommands, runFor, runUntilTold, tellToEnd } from './support/commands.ts'
import { fetching } from './support/fetching.ts'
import { createWorld } from './support/run-bough.ts'

/** `bough serve`, as people start it, with a turn in which a command runs. */
async function busyServer(grace: string, instruction: string) {
  const world = createWorld()
  mkdirSync(world.home, { recursive: true })
  writeFileSync(join(world.home, 'config.json'), JSON.stringify({ permissions: { allow: ['run'] } }))
  const server = world.start(['serve', '--port', '0', '--grace', grace])
  onTestFinished(async () => {
    server.child.kill('SIGKILL')
    await server.ended
    await endCommands(world.project)
  })
  await server.shows('Ctrl-C stops it')
  const found = await findServer({ data: world.home, config: join(world.home, 'config.json') })
  if (!found?.tokenFile) throw new Error('It says nothing of itself.')
  const { post } = fetching({ url: found.url, token: readFileSync(found.tokenFile, 'utf8').trim() })
  const id = (await world.ok('new')).trim()
  expect((await post(`/session/${id}/message`, { text: instruction })).status).toBe(202)
  await commandRuns(world.project)
  const stored = async (): Promise<readonly Message[]> => JSON.parse(await world.ok('log', id, '--json'))
  return { world, server, stored }
}

describe('bough serve, on SIGTERM while a turn runs', () => {
  it('lets a turn end that ends in time, has it stored, and ends with 0', async () => {
    const { world, server, stored } = await busyServer('60', runUntilTold)
    server.child.kill('SIGTERM')
    await server.shows('bough is stopping')
    await tellToEnd(world.project)
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
    const messages = await stored()
    expect(messages.at(-1)).toMatchObject({ role: 'assistant', status: 'complete' })
    expect(messages.every(({ status }) => status === 'complete')).toBe(true)
    await commandGone(world.project)
  })

  it('interrupts a turn that takes longer, has it stored as such, and ends with 0', async () => {
    const { world, server, stored } = await busyServer('1', runFor(600))
    server.child.kill('SIGTERM')
    await server.shows('bough is stopping')
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
    expect((await stored()).map(({ status }) => status)).toContain('interrupted')
    expect(await world.json('ls')).toMatchObject([{ state: 'idle' }])
    await commandGone(world.project)
  })
})
