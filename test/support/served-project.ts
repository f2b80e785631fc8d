import { mkdirSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { dirname } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { createOfflineDriver } from '../../src/agents/offline/offline.ts'
import { newRepository } from '../../src/workspace/testing/ground.ts'
import { newHome } from './bough.ts'
import { ask, type RawAnswer } from './raw-http.ts'
import { serveForTest } from './server.ts'

type Settings = Parameters<typeof serveForTest>[1]

/** A server for a git project, with a session in it. */
export async function serveProject(settings: Settings = {}) {
  const home = { ...(await newHome()), project: await newRepository({ 'a.txt': 'a\n' }) }
  mkdirSync(dirname(home.config), { recursive: true })
  writeFileSync(home.config, JSON.stringify({ permissions: { allow: ['run', 'write'] } }))
  const server = await serveForTest(home, { bough: { drivers: [createOfflineDriver()] }, ...settings })
  const session = await server.bough.create({
    directory: home.project,
    agent: 'offline',
    title: 'The project',
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  onTestFinished(() => agent.destroy())
  const call = (method: string, path: string, body?: unknown) => {
    const request = {
      method,
      path,
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }
    return ask(server, request, agent)
  }
  return { home, server, session, call }
}

/** A problem as every problem must be. */
export const problemIn = ({ headers, body, status }: RawAnswer): Record<string, unknown> => {
  expect([headers['content-type'], body]).toEqual(['application/problem+json', body])
  expect(body).not.toMatch(/node_modules|\.ts:|\bat \w+ \(/)
  const problem = JSON.parse(body)
  expect(problem).toMatchObject({ status, code: expect.any(String), detail: expect.any(String) })
  expect(Object.keys(problem)).not.toContain('stack')
  return problem
}
