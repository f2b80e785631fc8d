import { once } from 'node:events'
import { createInflate } from 'node:zlib'
import { Events } from 'discord.js'
import { GatewayCloseCodes, GatewayIntentBits, GatewayOpcodes } from 'discord-api-types/v10'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { FakeDiscord } from './support/discord/fake-discord.ts'
import { botInDm, fakeWithOwner, realClient } from './support/discord/real-client.ts'

test('a connection that is cut is resumed, and what was said meanwhile is told', async () => {
  const { fake, owner, dm, words } = await botInDm()
  fake.userSends(dm, owner, 'before')
  await fake.until('the message', () => words().length === 1)
  fake.dropSockets()
  expect(fake.connected).toBe(0)
  fake.userSends(dm, owner, 'meanwhile')
  await fake.until('the message', () => words().length === 2)
  fake.userSends(dm, owner, 'after')
  await fake.until('the message', () => words().length === 3)
  expect(words()).toEqual(['before', 'meanwhile', 'after'])
  expect(asked(fake)).toEqual(['identify', 'resume'])
})

test('a client that is not let in again identifies anew, and is not told what was said meanwhile', async () => {
  const { fake, owner, dm, words, channel } = await botInDm()
  const before = fake.userSends(dm, owner, 'before')
  await fake.until('the message', () => words().length === 1)
  fake.acceptConnections = false
  fake.dropSockets()
  await fake.until('a refusal', () => fake.gatewayLog.some(({ dir }) => dir === 'refused'))
  fake.userSends(dm, owner, 'meanwhile')
  fake.acceptConnections = true
  await fake.until('a new session', () => asked(fake).length === 2)
  await fake.until('the connection', () => fake.connected === 1)
  fake.userSends(dm, owner, 'after')
  await fake.until('the message', () => words().length === 2)
  expect(words()).toEqual(['before', 'after'])
  expect(asked(fake)).toEqual(['identify', 'identify'])

  const missed = await channel.messages.fetch({ after: before.id })
  expect([...missed.values()].map(({ content }) => content)).toEqual(['after', 'meanwhile'])
})

const partings = [
  { when: 'asked to reconnect', back: 'resume', part: (fake: FakeDiscord) => fake.sendReconnect() },
  {
    when: 'told that its session is broken but can be resumed',
    back: 'resume',
    part: (fake: FakeDiscord) => fake.sendInvalidSession(true),
  },
  {
    when: 'told that its session is over',
    back: 'identify',
    part: (fake: FakeDiscord) => fake.sendInvalidSession(false),
  },
  {
    when: 'closed with a code after which it may come back',
    back: 'resume',
    part: (fake: FakeDiscord) => fake.dropSockets(GatewayCloseCodes.UnknownError),
  },
] as const

test.each(partings)('a client that is $when comes back: $back', async ({ back, part }) => {
  const { fake, owner, dm, words } = await botInDm()
  part(fake)
  await fake.until('the client to come back', () => asked(fake).length === 2 && fake.connected === 1)
  fake.userSends(dm, owner, 'still there?')
  await fake.until('the message', () => words().length === 1)
  expect(asked(fake)).toEqual(['identify', back])
})

test('a session that has been forgotten cannot be resumed', async () => {
  const { fake } = await botInDm()
  fake.invalidateSessions()
  fake.dropSockets()
  await fake.until('a new session', () => asked(fake).length === 3 && fake.connected === 1)
  expect(asked(fake)).toEqual(['identify', 'resume', 'identify'])
})

test('a client whose heartbeats nobody answers leaves and resumes', async () => {
  const { fake } = await botInDm({ heartbeatIntervalMs: 50 })
  const beats = () => fake.gatewayLog.filter(({ op }) => op === GatewayOpcodes.HeartbeatAck).length
  await fake.until('heartbeats', () => beats() > 1)
  const before = closed(fake)
  fake.ackHeartbeats = false
  await fake.until('the client to leave', () => closed(fake) > before)
  fake.ackHeartbeats = true
  await fake.until('the client to come back', () => fake.connected === 1)
  expect(asked(fake)[1]).toBe('resume')
})

test('without the intent for direct messages nothing is told of them, but interactions are', async () => {
  const { fake, owner, dm, client, words } = await botInDm({}, { intents: [] })
  const came = once(client, Events.InteractionCreate)
  fake.userSends(dm, owner, 'anybody there?')
  fake.userForges(dm, owner, 'made-up')
  await came
  expect(words()).toEqual([])
})

test('an intent that was not switched on for the bot is refused', async () => {
  const { fake } = await fakeWithOwner({ allowedPrivilegedIntents: 0 })
  const login = realClient(fake, { intents: [GatewayIntentBits.MessageContent] })
  await expect(login).rejects.toThrow('disallowed intents')
})

test('two clients are told the same', async () => {
  const { fake, owner, dm, words } = await botInDm()
  const other = await realClient(fake)
  fake.userSends(dm, owner, 'hello')
  await fake.until('both to hear it', () => words().length + other.words().length === 2)
  expect(fake.connected).toBe(2)
})

test('a fake that was away comes back at the same place, with all that it knew', async () => {
  const { fake, owner, dm, words } = await botInDm()
  await fake.stop()
  fake.userSends(dm, owner, 'unheard')
  await fake.start()
  await fake.until('the client to come back', () => fake.connected === 1)
  fake.userSends(dm, owner, 'hello again')
  await fake.until('the message', () => words().includes('hello again'))
  expect(fake.channelMessages(dm.id)).toHaveLength(2)
})

test('a client with guilds is ready when it has been told of them', async () => {
  const guild = { id: '12345678901234567', name: 'Wood' }
  const { fake } = await fakeWithOwner({ guilds: [guild] })
  const { client } = await realClient(fake, { intents: [GatewayIntentBits.Guilds] })
  expect(client.guilds.cache.get(guild.id)).toMatchObject({ name: 'Wood', available: true })
})

test('a client may have everything compressed', async () => {
  const { fake } = await fakeWithOwner()
  const socket = new WebSocket(`${fake.gatewayURL}/?v=10&encoding=json&compress=zlib-stream`)
  const inflate = createInflate()
  socket.on('message', (data: Buffer) => inflate.write(data))
  const [hello] = await once(inflate, 'data')
  expect(JSON.parse(String(hello))).toMatchObject({ op: GatewayOpcodes.Hello })
  const d = { token: fake.token, intents: 0, properties: {} }
  socket.send(JSON.stringify({ op: GatewayOpcodes.Identify, d }))
  const [ready] = await once(inflate, 'data')
  expect(JSON.parse(String(ready))).toMatchObject({ t: 'READY', s: 1, d: { user: { id: fake.bot.id } } })
})

/** How clients began or went on with a session, in order. */
const asked = ({ gatewayLog }: FakeDiscord): string[] =>
  gatewayLog.flatMap(({ dir, op }) => {
    if (dir !== 'in') return []
    if (op === GatewayOpcodes.Identify) return ['identify']
    return op === GatewayOpcodes.Resume ? ['resume'] : []
  })

const closed = ({ gatewayLog }: FakeDiscord): number => gatewayLog.filter(({ dir }) => dir === 'close').length
