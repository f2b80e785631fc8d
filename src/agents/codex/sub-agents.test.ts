import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { call, type Item } from '../../../test/support/fake-openai.ts'
import { until } from '../../../test/support/until.ts'
import { obey, processesWith, shapeOf, startRig } from './test-rig.ts'

const callAgents = (name: string, args: unknown): Item => ({
  ...call(name, args),
  ...{ namespace: 'multi_agent_v1' },
})

/** A model that gives the command to an agent of its own, and waits for it. */
const startDelegatingRig = (command: string) =>
  startRig((prompt, request) => {
    if (prompt === 'Delegate') return { items: [callAgents('spawn_agent', { message: `run ${command}` })] }
    const id = /agent_id[^0-9a-f]*([0-9a-f-]{36})/.exec(JSON.stringify(request.input.at(-1)))?.[1]
    if (prompt === '' && id !== undefined)
      return { items: [callAgents('wait_agent', { targets: [id], timeout_ms: 30_000 })] }
    return obey(prompt, request)
  })

test('what an agent of the agent wants to do is asked as well', async () => {
  const rig = await startDelegatingRig('touch a.txt')
  const { turn, asked } = await rig.open()
  const shape = shapeOf(await turn('Delegate'))
  expect(shape).toContain('call agents.spawnAgent {"prompt":"run touch a.txt"}')
  expect(shape.at(-1)).toBe('done')
  expect(asked).toMatchObject([{ tool: 'run', action: 'run', detail: 'touch a.txt' }])
  expect(existsSync(join(rig.cwd, 'a.txt'))).toBe(true)
})

test('an interruption ends the agents of the agent too', async () => {
  const command = `sleep ${5_001 + process.pid}`
  const rig = await startDelegatingRig(`touch mark; ${command}`)
  const [{ connection }] = [await rig.open(), await rig.open()]
  const controller = new AbortController()
  const running = Array.fromAsync(connection.send('Delegate', controller.signal))
  await until('the command to run', () => existsSync(join(rig.cwd, 'mark')))
  controller.abort()
  expect((await running).at(-1)).toMatchObject({ type: 'turn-finished', reason: 'interrupted' })
  await until('the command to be gone', async () => (await processesWith(command)).length === 0)
})
