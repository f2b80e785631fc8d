import { describe, expect, it } from 'vitest'
import type { AgentEvent } from '../src/agents/driver.ts'
import { newHome } from './support/bough.ts'
import { expectGuarded, problemIn } from './support/guarded.ts'
import { ask, type RawAnswer } from './support/raw-http.ts'
import { ScriptedAgent, says } from './support/scripted-agent.ts'
import { openServed } from './support/served.ts'
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

  it('the summary of a fork that reports is a turn, and what a person reports themselves is none', async () => {
    const { server, send, post, sessions } = await crowded()
    const channel = await server.bough.channelOf(sessions[2]?.id ?? 'ses_')
    await server.bough.say(channel.id, { kind: 'fork' })
    const { openForkID } = await server.bough.channel(channel.id)
    expect((await send(0, 'wait')).status).toBe(202)
    expect((await send(1, 'wait')).status).toBe(202)
    expectFull(await post(`/session/${openForkID}/exit`, { action: 'report' }))
    expect((await server.bough.channel(channel.id)).openForkID).toBe(openForkID)
    const told = await post(`/session/${openForkID}/exit`, { action: 'report', message: 'All is well.' })
    expect(told.status).toBe(200)
    const run = await server.bough.runBackground(channel.id, 'wait')
    expect((await post(`/session/${run.sessionID}/exit`, { action: 'report' })).status).toBe(200)
  })

  it('a seed is a turn, which has its place until the agent has it; a fork without one needs none', async () => {
    const { server, send, post, sessions, releases, isFree } = await crowded()
    const id = sessions[0]?.id ?? 'ses_'
    await send(0, 'wait')
    ;(await until('the agent', () => releases.pop()))()
    await (await server.bough.follow(id))?.ended
    // The seed has the conversation in it, and with that the word that holds the agent.
    const seeded = () => post(`/session/${id}/fork`, { context: 'seed', files: 'same' })
    expect([(await seeded()).status, (await seeded()).status]).toEqual([201, 201])
    const forks = await server.bough.children(id)
    expectFull(await seeded())
    expectFull(await send(2, 'hello'))
    expect(await server.bough.children(id)).toEqual(forks)
    expect((await post(`/session/${id}/fork`, { context: 'native', files: 'same' })).status).toBe(201)
    for (let i = 0; i < forks.length; i++) (await until('the seed', () => releases.pop()))()
    await isFree()
  })

  it('background runs, however they are started, are as many as forks.limit says', async () => {
    const { post, session: begin, agent, bough } = await openServed({ config: { forks: { limit: 2 } } })
    const where = await begin()
    const routine = await bough.addRoutine(where, { prompt: 'sleep 4', cron: '0 0 1 1 *' })
    const started = [
      await post('/run', { where, prompt: 'sleep 1' }),
      await post(`/session/${where}/fork`, { kind: 'background', prompt: 'sleep 2' }),
      await post('/run', { where, prompt: 'sleep 3' }),
      await post(`/routine/${routine.id}/run`),
    ]
    expect(started.map(({ status }) => status)).toEqual([201, 201, 201, 200])
    const running = async () =>
      (await bough.sideForks({ state: 'open' })).filter(({ began }) => began !== null).length
    for (const gate of [1, 2, 3, 4]) {
      await agent.held(gate)
      expect(await running()).toBeLessThanOrEqual(2)
      if (gate > 1) agent.release(gate - 1)
    }
    agent.release(4)
    await until('all to end', async () => (await bough.sideForks({ state: 'open' })).length === 0)
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
