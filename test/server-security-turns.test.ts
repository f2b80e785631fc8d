import { describe, expect, it } from 'vitest'
import type { AgentEvent } from '../src/agents/driver.ts'
import { newHome } from './support/bough.ts'
import { expectGuarded, problemIn } from './support/guarded.ts'
import { ask, type RawAnswer } from './support/raw-http.ts'
import { ScriptedAgent, says } from './support/scripted-agent.ts'
import { serveForTest } from './support/server.ts'
import { until } from './support/until.ts'

const someID = '01kc0000000000000000000000'
const json = { 'content-type': 'application/json' }

describe('turns at once', () => {
  /** Two places, and an agent that answers when it is told to. */
  async function crowded() {
    const releases: (() => void)[] = []
    const agent = new ScriptedAgent('slow', async function* (prompt, signal): AsyncGenerator<AgentEvent> {
      if (prompt.includes('fail')) throw new Error('It fails.')
      if (prompt.includes('wait'))
        await new Promise<void>((resolve) => {
          releases.push(resolve)
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
      yield* says('done')
    })
    const home = await newHome()
    const server = await serveForTest(home, { turns: 2, bough: { drivers: [agent.driver] } })
    const bearer = `Bearer ${server.token}`
    const sessions = await Promise.all(
      [1, 2, 3].map(() => server.bough.create({ directory: home.project, agent: 'slow' })),
    )
    const post = (path: string, body: unknown) =>
      ask(server, {
        method: 'POST',
        path,
        headers: { authorization: bearer, ...json },
        body: JSON.stringify(body),
      })
    const send = (which: number, text: string) => post(`/session/${sessions[which]?.id}/message`, { text })
    const isFree = () => until('a free place', async () => (await send(2, 'hello')).status === 202)
    return { home, server, bearer, sessions, releases, post, send, isFree, agent }
  }

  function expectFull(answer: RawAnswer): void {
    expect([answer.status, problemIn(answer).code]).toEqual([429, 'too_many_turns'])
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    expectGuarded(answer)
  }

  it('one more than there are places for is refused, and nothing of it happens', async () => {
    const { server, send, post, sessions, bearer } = await crowded()
    const channel = await server.bough.channelOf(sessions[2]?.id ?? 'ses_')
    expect((await send(0, 'wait')).status).toBe(202)
    expect((await send(1, 'wait')).status).toBe(202)
    const before = await server.bough.messages(sessions[2]?.id ?? 'ses_')
    expectFull(await send(2, 'hello'))
    expectFull(await post(`/channel/${channel.id}/message`, { text: 'hello' }))
    expectFull(
      await ask(server, {
        method: 'POST',
        path: `/channel/${channel.id}/message`,
        headers: { authorization: bearer, ...json, accept: 'text/event-stream' },
        body: '{"text":"hello"}',
      }),
    )
    const children = await server.bough.children(sessions[2]?.id ?? 'ses_')
    expectFull(await post(`/session/${sessions[2]?.id}/fork`, { prompt: 'hello' }))
    expectFull(await post(`/session/${sessions[2]?.id}/fork`, { kind: 'interactive', prompt: 'hello' }))
    expect(await server.bough.children(sessions[2]?.id ?? 'ses_')).toEqual(children)
    expect(await server.bough.pending()).toBe(0)
    expect(await server.bough.messages(sessions[2]?.id ?? 'ses_')).toEqual(before)
    expect(server.faults).toEqual([])
  })

  it.each(['ends', 'is aborted'])('there is a place again after a turn %s', async (how) => {
    const { send, post, releases, sessions, isFree } = await crowded()
    await send(0, 'wait')
    await send(1, 'wait')
    expectFull(await send(2, 'hello'))
    if (how === 'ends') (await until('the agent', () => releases[0]))()
    else expect((await post(`/session/${sessions[0]?.id}/abort`, {})).status).toBe(200)
    await isFree()
  })

  it('there is a place again after turns that failed or were refused', async () => {
    const { send, post, isFree } = await crowded()
    for (let i = 0; i < 5; i++) {
      expect((await post(`/session/ses_${someID}/message`, { text: 'hello' })).status).toBe(404)
      expect((await post(`/session/ses_${someID}/fork`, { prompt: 'hello' })).status).toBe(404)
      expect((await post(`/channel/chn_${someID}/message`, { text: 'hello' })).status).toBe(404)
      expect((await send(0, ' ')).status).toBe(400)
    }
    for (let i = 0; i < 5; i++)
      await until('a place for one that fails', async () => (await send(0, 'fail')).status === 202)
    await isFree()
    await until('the first place', async () => (await send(0, 'wait')).status === 202)
    await until('the second place', async () => (await send(1, 'wait')).status === 202)
    expectFull(await send(2, 'hello'))
  })
})
