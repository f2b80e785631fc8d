import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  type Client,
  Events,
  MessageFlags,
  MessageReferenceType,
  MessageType,
  type RateLimitData,
  RESTEvents,
} from 'discord.js'
import { expect, onTestFinished, test } from 'vitest'
import { globalLimit } from './support/discord/faults.ts'
import { scaledLimits } from './support/discord/rate-limits.ts'
import { botInDm, fakeWithOwner, realClient, refusal } from './support/discord/real-client.ts'

test('what a person writes is told, and what the bot writes comes back to it', async () => {
  const { fake, owner, dm, client, channel, words } = await botInDm()
  const own = once(client, Events.MessageCreate)
  await channel.send('hello')
  expect(await own).toMatchObject([{ content: 'hello', author: { id: fake.bot.id } }])

  fake.userSends(dm, owner, 'hello yourself')
  await fake.until('the message', () => words().includes('hello yourself'))
  expect(fake.unhandled).toEqual([])
})

test('a reply comes with the message that it refers to', async () => {
  const { fake, owner, dm, channel, heard } = await botInDm()
  await channel.send('the original')
  const [original] = fake.botMessages(dm.id)
  fake.userSends(dm, owner, 'a reply', { replyTo: present(original) })

  const reply = await fake.until('the reply', () => heard[0])
  expect(reply).toMatchObject({ type: MessageType.Reply, reference: { type: MessageReferenceType.Default } })
  const asked = fake.requests.length
  expect(await reply.fetchReference()).toMatchObject({ content: 'the original' })
  expect(fake.requests).toHaveLength(asked)
})

test('a forward has what was forwarded, and no words of its own', async () => {
  const { fake, owner, dm, heard } = await botInDm()
  fake.userSends(dm, owner, '', { forward: fake.userSends(dm, owner, 'the original') })

  const forward = await fake.until('the forward', () => heard[1])
  expect(forward).toMatchObject({ content: '', type: MessageType.Default })
  expect(forward.reference?.type).toBe(MessageReferenceType.Forward)
  expect(forward.messageSnapshots.first()?.content).toBe('the original')
})

test('a reply to a message that is gone has nothing to refer to', async () => {
  const { fake, owner, dm, client, channel, heard } = await botInDm()
  const original = fake.userSends(dm, owner, 'soon gone')
  const deleted = once(client, Events.MessageDelete)
  const heardOf = await fake.until('the message', () => heard[0])
  fake.userDeletes(original)
  expect(await deleted).toMatchObject([{ id: original.id }])

  expect(await refusal(heardOf.reply('too late'))).toMatchObject({ code: 50035 })
  const answer = await channel.send({
    content: 'never mind',
    reply: { messageReference: original.id, failIfNotExists: false },
  })
  expect(answer.type).toBe(MessageType.Default)

  const late = fake.userSends(dm, owner, 'and so?', { replyTo: original })
  expect(await client.rest.get(`/channels/${dm.id}/messages/${late.id}`)).toMatchObject({
    type: MessageType.Reply,
    referenced_message: null,
  })
})

test('the messages after one are the next ones, given newest first', async () => {
  const { fake, owner, dm, channel } = await botInDm()
  const sent = Array.from({ length: 5 }, (_, index) => fake.userSends(dm, owner, `m${index}`))
  const contents = async (options: { after?: string; before?: string; limit?: number }) =>
    [...(await channel.messages.fetch({ ...options, cache: false })).values()].map(({ content }) => content)

  expect(await contents({ after: present(sent[1]).id })).toEqual(['m4', 'm3', 'm2'])
  expect(await contents({ after: present(sent[1]).id, limit: 2 })).toEqual(['m3', 'm2'])
  expect(await contents({ before: present(sent[3]).id, limit: 2 })).toEqual(['m2', 'm1'])
  expect(await contents({ limit: 1 })).toEqual(['m4'])
  expect(await refusal(contents({ limit: 101 }))).toMatchObject({ code: 50035 })
})

test('the same nonce within a few minutes gives the earlier message, if it is to be enforced', async () => {
  let now = Date.now()
  const { fake, dm, client, channel } = await botInDm({ now: () => now })
  const send = (enforceNonce: boolean) => channel.send({ content: 'once', nonce: '7', enforceNonce })
  const first = await send(true)
  expect(first.nonce).toBe('7')

  expect((await send(true)).id).toBe(first.id)
  expect(fake.botMessages(dm.id)).toHaveLength(1)
  expect(await client.rest.get(`/channels/${dm.id}/messages/${first.id}`)).not.toHaveProperty('nonce')

  const second = await send(false)
  expect((await send(true)).id).toBe(second.id)
  now += 10 * 60_000
  await send(true)
  expect(fake.botMessages(dm.id)).toHaveLength(3)
})

test('a request that times out has been done all the same: only a nonce keeps it from being done twice', async () => {
  const { fake, dm, channel } = await botInDm({}, { rest: { timeout: 500 } })
  const slow = { method: 'POST', path: /messages$/, after: true, delayMs: 60_000 }
  fake.faults.push(slow)
  await channel.send({ content: 'with', nonce: '1', enforceNonce: true })
  fake.faults.push(slow)
  await channel.send('without')
  const contents = fake.botMessages(dm.id).map(({ content }) => content)
  expect(contents.filter((one) => one === 'with')).toHaveLength(1)
  expect(contents.filter((one) => one === 'without').length).toBeGreaterThan(1)
})

test('a connection can be cut before a request is done, or after', async () => {
  const { fake, dm, channel } = await botInDm()
  fake.faults.push({ method: 'POST', destroySocket: true })
  await expect(channel.send('before')).rejects.toThrow()
  expect(fake.botMessages(dm.id)).toEqual([])
  fake.faults.push({ method: 'POST', destroySocket: true, after: true })
  await expect(channel.send('after')).rejects.toThrow()
  expect(fake.botMessages(dm.id)).toMatchObject([{ content: 'after' }])
  expect(fake.calls('POST', /messages$/).map(({ status }) => status)).toEqual([-1, -1])
  expect(fake.faults).toEqual([])
})

test('an error of the server passes by', async () => {
  const { fake, dm, channel } = await botInDm()
  fake.faults.push({ method: 'POST', status: 503, times: 2 })
  await channel.send('at last')
  expect(fake.calls('POST', /messages$/).map(({ status }) => status)).toEqual([503, 503, 200])
  expect(fake.botMessages(dm.id)).toHaveLength(1)
})

test('who asks too much in one channel is told to wait', async () => {
  let now = Date.now()
  const { fake, owner, dm, channel } = await botInDm({ rateLimits: scaledLimits(0.01), now: () => now })
  for (const text of ['1', '2', '3', '4', '5']) await channel.send(text)
  const other = await realClient(fake)
  const limited = limitsOf(other.client)
  const sixth = (await other.client.users.createDM(owner.id)).send('6')
  await fake.until('a refusal', () => fake.rest429 > 0)
  now += 50
  await sixth
  expect(limited[0]).toMatchObject({ global: false, limit: 5, scope: 'user' })
  expect(fake.botMessages(dm.id)).toHaveLength(6)
})

test('who asks too much altogether is told so', async () => {
  const { fake, dm, client, channel } = await botInDm()
  const limited = limitsOf(client)
  fake.faults.push(globalLimit(20))
  await channel.send('a bit later')
  expect(limited[0]).toMatchObject({ global: true })
  expect(fake.rest429).toBe(1)
  expect(fake.botMessages(dm.id)).toHaveLength(1)
})

test('files are kept with their bytes, and can be fetched', async () => {
  const { fake, owner, dm, channel, heard } = await botInDm()
  const files = [
    { attachment: Buffer.from([137, 80, 78, 71]), name: 'tree.png', description: 'the tree' },
    { attachment: Buffer.from('leaves'), name: 'two words.txt' },
  ]
  const message = await channel.send({ files })
  expect(fake.attachments).toMatchObject([
    { messageID: message.id, attachment: { filename: 'tree.png', description: 'the tree', size: 4 } },
    { messageID: message.id, attachment: { size: 6 } },
  ])
  expect(fake.attachments[0]?.content).toEqual(Buffer.from([137, 80, 78, 71]))
  expect(await fetched(message.attachments.at(1)?.url)).toBe('leaves')

  await message.edit({
    attachments: message.attachments.first(1),
    files: [{ attachment: Buffer.from('new'), name: 'n' }],
  })
  expect(fake.botMessages(dm.id)[0]?.attachments.map(({ filename }) => filename)).toEqual(['tree.png', 'n'])

  fake.userSends(dm, owner, 'mine', { attachments: [{ filename: 'mine.txt', content: 'of a person' }] })
  const sent = await fake.until('the message', () => heard[0])
  expect(await fetched(sent.attachments.first()?.url)).toBe('of a person')
  expect(fake.unhandled).toEqual([])
})

test('reactions come and go, and another client finds what stands there', async () => {
  const { fake, owner, dm, heard } = await botInDm()
  const message = fake.userSends(dm, owner, 'queued')
  await (await fake.until('the message', () => heard[0])).react('⏳')

  const other = await realClient(fake)
  const found = await (await other.client.users.createDM(owner.id)).messages.fetch(message.id)
  await found.reactions.resolve('⏳')?.users.remove(fake.bot.id)
  expect(fake.reactions).toMatchObject([
    { messageID: message.id, emoji: '⏳', change: 'added' },
    { messageID: message.id, emoji: '⏳', change: 'removed' },
  ])
  expect(await refusal(found.react('word'))).toMatchObject({ code: 10014 })
  expect(message.reactions).toEqual([])
})

test('typing is noted', async () => {
  const { fake, dm, channel } = await botInDm()
  await channel.sendTyping()
  expect(fake.typing).toMatchObject([{ channelID: dm.id }])
})

test('a bot changes and deletes only what it wrote', async () => {
  const { fake, owner, dm, client, channel } = await botInDm()
  const route = `/channels/${dm.id}/messages/${fake.userSends(dm, owner, 'mine').id}` as const
  expect(await refusal(client.rest.patch(route, { body: { content: 'yours' } }))).toMatchObject({
    code: 50005,
  })
  expect(await refusal(client.rest.delete(route))).toMatchObject({ code: 50003 })
  await (await channel.send('ours')).delete()
  expect(fake.channelMessages(dm.id)).toMatchObject([{ content: 'mine' }])
  expect(fake.history.at(-1)).toMatchObject({ kind: 'delete', message: { content: 'ours' } })
})

test('a message in a channel is never for one person alone', async () => {
  const { fake, dm, client } = await botInDm()
  const body = { content: 'secret', flags: MessageFlags.Ephemeral }
  await client.rest.post(`/channels/${dm.id}/messages`, { body })
  expect(fake.botMessages(dm.id)).toMatchObject([{ flags: 0 }])
})

test('a route that the fake does not know is refused and listed', async () => {
  const { fake, client } = await botInDm()
  expect(await refusal(client.rest.get('/channels/12345678901234567/pins'))).toMatchObject({ status: 404 })
  expect(fake.unhandled).toEqual(['GET /channels/12345678901234567/pins'])
})

test('a wrong token is refused', async () => {
  const { fake } = await fakeWithOwner()
  const me = await fetch(`${fake.api}/v10/users/@me`, { headers: { authorization: 'Bot wrong' } })
  expect(me.status).toBe(401)
})

test('a bot that is killed can be started again, and the fake has gone on meanwhile', async () => {
  const { fake, owner, dm } = await fakeWithOwner()
  const first = await echo(fake)
  fake.userSends(dm, owner, 'one')
  await fake.until('an answer', () => contents().includes('echo one'))
  first.kill('SIGKILL')
  await once(first, 'exit')
  fake.userSends(dm, owner, 'two')
  await echo(fake)
  fake.userSends(dm, owner, 'three')
  await fake.until('an answer', () => contents().includes('echo three'))
  expect(contents()).toEqual(['echo one', 'echo three'])
  function contents(): string[] {
    return fake.botMessages(dm.id).map(({ content }) => content)
  }
})

async function echo({ api, token }: { readonly api: string; readonly token: string }) {
  const program = `
    import { Client, Partials } from 'discord.js'
    const client = new Client({ intents: ['DirectMessages'], partials: [Partials.Channel], rest: { api: '${api}' } })
    client.on('clientReady', () => console.log('ready'))
    client.on('messageCreate', (message) => message.author.bot || message.channel.send('echo ' + message.content))
    await client.login('${token}')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

function limitsOf(client: Client): RateLimitData[] {
  const limited: RateLimitData[] = []
  client.rest.on(RESTEvents.RateLimited, (data) => limited.push(data))
  return limited
}

const fetched = async (url: string | undefined): Promise<string> => (await fetch(present(url))).text()

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('It is not there.')
  return value
}
