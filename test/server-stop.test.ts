import { describe, expect, it } from 'vitest'
import { routes } from '../src/wire/routes.ts'
import { openForTest } from './support/bough.ts'
import { HeldAgent } from './support/held-agent.ts'
import { inLine } from './support/in-line.ts'
import { openServed } from './support/served.ts'
import { until } from './support/until.ts'

const enough = 60_000
const short = 300

describe('a server that stops', () => {
  it('lets a running turn end by itself, and begins no other', async () => {
    const { server, post, get, session: begin, agent, home } = await openServed({ grace: enough })
    const [id, other] = [await begin(), await begin()]
    const sent = (await post(`/session/${id}/message`, { text: 'sleep 1' })).as(202, routes.send.result)
    await agent.held(1)
    const stopping = server.stop()
    const health = (await get('/health')).as(200, routes.health.result)
    expect(health.status).toBe('stopping')
    const refusal = await post(`/session/${other}/message`, { text: 'hello' })
    refusal.refused(503, 'stopping')
    expect(refusal.headers.get('retry-after')).toBe('1')
    ;(await post('/session', {})).refused(503, 'stopping')
    ;(await post(`/session/${id}/fork`, { kind: 'background', prompt: 'look' })).refused(503, 'stopping')
    expect((await get(`/session/${id}/turn`)).as(200, routes.follow.result)?.id).toBe(sent.turnID)
    agent.release(1)
    await stopping
    const next = await openForTest(home, { drivers: [new HeldAgent().driver] })
    expect(await (await next.follow(id, sent.turnID))?.ended).toEqual({ outcome: 'finished', reason: null })
    expect(await next.messages(other)).toEqual([])
    await expect(fetch(`${server.url}/health`)).rejects.toThrow()
  })

  it('tells who reads a turn how it ended, before it is gone', async () => {
    const { server, events, session: begin, agent } = await openServed({ grace: enough })
    const reading = Array.fromAsync(events(`/session/${await begin()}/message`, { text: 'sleep 1' }))
    await agent.held(1)
    const stopping = server.stop()
    agent.release(1)
    expect((await reading).at(-1)).toMatchObject({ name: 'ended', data: { end: { outcome: 'finished' } } })
    await stopping
  })

  it('lets a running turn be stopped, and what it asks be answered', async () => {
    const { server, post, get, session: begin, agent } = await openServed({ grace: enough, config: {} })
    const [id, asking] = [await begin(), await begin()]
    await post(`/session/${id}/message`, { text: 'sleep 1' })
    await post(`/session/${asking}/message`, { text: 'run true' })
    await agent.held(1)
    const permission = await until('it to be asked', async () => {
      const [asked] = (await get('/permission')).as(200, routes.permissions.result)
      return asked
    })
    const stopping = server.stop()
    expect((await post(`/permission/${permission.id}/reply`, { allow: true })).status).toBe(200)
    expect((await post(`/session/${id}/abort`)).as(200, routes.abort.result)).toEqual({ aborted: true })
    await stopping
  })

  it('interrupts a turn that does not end in time, and stores it as such', async () => {
    const { server, post, session: begin, agent, home } = await openServed({ grace: short })
    const id = await begin()
    const text = 'words 3\nsleep 1'
    const sent = (await post(`/session/${id}/message`, { text })).as(202, routes.send.result)
    await agent.held(1)
    await server.stop()
    const next = await openForTest(home, { drivers: [new HeldAgent().driver] })
    expect(await (await next.follow(id, sent.turnID))?.ended).toEqual({
      ...{ outcome: 'interrupted', reason: expect.any(String) },
    })
    expect((await next.messages(id)).map(({ status }) => status)).toContain('interrupted')
    expect(await next.session(id)).toMatchObject({ state: 'idle' })
  })

  it('does not wait for a reader that owes it an answer', async () => {
    const { server, events, turn, session: begin, directory } = await openServed({ grace: short })
    const lent = await server.bough.create({ directory, agent: 'scripted' })
    await turn(lent.id, 'hello')
    const main = await begin()
    const channel = await server.bough.channelOf(main)
    const borrowing = events(`/session/${lent.id}/resume`)[Symbol.asyncIterator]()
    const showing = events(`/channel/${channel.id}/attend`)[Symbol.asyncIterator]()
    expect((await borrowing.next()).value).toMatchObject({ name: 'lent' })
    expect((await showing.next()).value).toMatchObject({ name: 'attending' })
    const saying = server.bough.say(channel.id, { kind: 'fork' }).catch(() => {})
    expect((await showing.next()).value).toMatchObject({ name: 'send' })
    await server.stop()
    await saying
  })

  it('lets what was sent with a key be given up', async () => {
    const { server, post, session: begin, agent } = await openServed({ grace: enough })
    await post(`/session/${await begin()}/message`, { text: 'sleep 1', key: 'mine' })
    await agent.held(1)
    const stopping = server.stop()
    expect((await post('/give-up', { key: 'mine' })).as(200, routes.giveUp.result)).toEqual({ givenUp: true })
    await stopping
  })

  it('leaves what waits in a channel to the next process', async () => {
    const { server, post, agent, directory, home } = await openServed({ grace: enough })
    const place = { frontEnd: 'test', key: 'chat', directory }
    const channel = (await post('/channel', place)).as(201, routes.openChannel.result)
    await post(`/channel/${channel.id}/message`, { text: 'sleep 1' })
    await agent.held(1)
    const waiting = post(`/channel/${channel.id}/message`, { text: 'second' })
    await inLine(home, channel.id, 2)
    const stopping = server.stop()
    agent.release(1)
    // Whoever waits is told, or loses the connection; what they said is not lost.
    const answer = await waiting.catch(() => null)
    expect(answer?.status ?? 409).toBeGreaterThanOrEqual(400)
    await stopping
    const next = await openForTest(home, { drivers: [new HeldAgent().driver], lookEvery: 20 })
    await next.keepTime()
    const texts = async () => (await next.messages(channel.mainID)).map(({ text }) => text)
    await until('it to be done', async () => (await texts()).includes('second'))
    expect((await texts()).filter((text) => text === 'second')).toHaveLength(1)
  })
})
