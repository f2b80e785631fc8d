import {
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type Client,
  Events,
  type Interaction,
  InteractionResponseType,
  MessageFlags,
  Routes,
} from 'discord.js'
import { expect, test } from 'vitest'
import type { FakeOptions } from './support/discord/fake-discord.ts'
import { botInDm, refusal } from './support/discord/real-client.ts'

const forkCommand = {
  name: 'fork',
  description: 'Fork the conversation',
  contexts: [1],
  integration_types: [0, 1],
  options: [{ type: 3, name: 'topic', description: 'What it is about' }],
} as const

test('a command reaches the bot with its options, and the answer stands in the channel', async () => {
  const { fake, owner, dm, next } = await botWithFork()
  const record = fake.userRuns(dm, owner, 'fork', { topic: 'leaves' })
  const command = slash(await next())
  expect(command.options.getString('topic')).toBe('leaves')
  expect(command.user.id).toBe(owner.id)
  await command.reply('Forked.')
  expect(await fake.untilCallback(record)).toMatchObject({
    type: InteractionResponseType.ChannelMessageWithSource,
    data: { content: 'Forked.' },
  })
  expect(fake.botMessages(dm.id)).toMatchObject([{ id: record.originalID, content: 'Forked.' }])
  expect(fake.unhandled).toEqual([])
})

test('a person can run only what is offered to them', async () => {
  const { fake, owner, dm, client } = await botWithFork()
  expect(() => fake.userRuns(dm, owner, 'leave')).toThrow('never registered')
  expect(() => fake.userRuns(dm, owner, 'fork', { depth: 2 })).toThrow('no option depth')
  await client.rest.put(Routes.applicationCommands(fake.bot.id), {
    body: [{ ...forkCommand, contexts: [0] }],
  })
  expect(() => fake.userRuns(dm, owner, 'fork')).toThrow('not offered in direct messages')
})

test('who does not acknowledge within three seconds is too late', async () => {
  let now = Date.now()
  const { fake, owner, dm, next } = await botWithFork({ now: () => now })
  fake.userRuns(dm, owner, 'fork')
  const inTime = slash(await next())
  now += 3000
  await inTime.reply('just in time')
  const record = fake.userRuns(dm, owner, 'fork')
  const tooLate = slash(await next())
  now += 3001
  expect(await refusal(tooLate.reply('too late'))).toMatchObject({ status: 404, code: 10062 })
  expect(record.callback).toBeNull()
  expect(fake.botMessages(dm.id)).toHaveLength(1)
})

test('an interaction is acknowledged once', async () => {
  const { fake, owner, dm, client, next } = await botWithFork()
  fake.userRuns(dm, owner, 'fork')
  const { id, token, ...command } = slash(await next())
  expect(command.replied).toBe(false)
  const body = { type: InteractionResponseType.ChannelMessageWithSource, data: { content: 'Done.' } }
  await client.rest.post(Routes.interactionCallback(id, token), { body })
  const again = client.rest.post(Routes.interactionCallback(id, token), { body })
  expect(await refusal(again)).toMatchObject({ status: 400, code: 40060 })
  expect(fake.botMessages(dm.id)).toHaveLength(1)
})

test('nothing follows before the acknowledgement, nor after fifteen minutes', async () => {
  let now = Date.now()
  const { fake, owner, dm, client, next } = await botWithFork({ now: () => now })
  const record = fake.userRuns(dm, owner, 'fork')
  const command = slash(await next())
  const early = client.rest.post(Routes.webhook(fake.bot.id, record.token), { body: { content: 'early' } })
  expect(await refusal(early)).toMatchObject({ code: 10015 })
  await command.deferReply()
  expect(fake.botMessages(dm.id)).toMatchObject([{ flags: MessageFlags.Loading }])
  now += 15 * 60_000
  await command.editReply('at last')
  await command.followUp('and more')
  now += 1
  expect(await refusal(command.editReply('too late'))).toMatchObject({ status: 401, code: 50027 })
  expect(await refusal(command.followUp('too late'))).toMatchObject({ code: 50027 })
  expect(fake.botMessages(dm.id)).toMatchObject([{ content: 'at last', flags: 0 }, { content: 'and more' }])
  expect(record.followups).toHaveLength(1)
})

test('what is said to one person alone is not in the channel', async () => {
  const { fake, owner, dm, client, channel, next } = await botWithFork()
  const told: string[] = []
  client.on(Events.MessageCreate, ({ content }) => told.push(content))
  fake.userRuns(dm, owner, 'fork')
  const command = slash(await next())
  await command.reply({ content: 'a secret', flags: MessageFlags.Ephemeral })
  await channel.send('for all')
  await fake.until('the message', () => told.length > 0)
  expect(told).toEqual(['for all'])
  expect((await channel.messages.fetch()).map(({ content }) => content)).toEqual(['for all'])
  const [secret] = fake.botMessages(dm.id)
  expect(secret).toMatchObject({ content: 'a secret', flags: MessageFlags.Ephemeral })
  const asMessage = client.rest.get(Routes.channelMessage(dm.id, secret?.id ?? ''))
  expect(await refusal(asMessage)).toMatchObject({ code: 10008 })
  await command.editReply('another secret')
  expect(secret?.content).toBe('another secret')
  await command.deleteReply()
  expect(fake.botMessages(dm.id)).toMatchObject([{ content: 'for all' }])
})

test('a click changes the message that it was on, and a disabled button cannot be clicked', async () => {
  const { fake, owner, dm, channel, next } = await botWithFork()
  const button = { type: 2, style: 1, custom_id: 'save:1', label: 'Save' } as const
  await channel.send({ content: 'Forked session', components: [{ type: 1, components: [button] }] })
  const [banner] = fake.botMessages(dm.id)
  if (!banner) throw new Error('There is no banner.')
  expect(() => fake.userClicks(banner, owner, 'Discard')).toThrow('no button Discard')

  const record = fake.userClicks(banner, owner, 'Save')
  const click = clicked(await next())
  expect(click).toMatchObject({ customId: 'save:1', message: { content: 'Forked session' } })
  const components = [{ type: 1, components: [{ ...button, disabled: true }] }] as const
  await click.update({ content: 'Fork ended', components })
  expect(record.originalID).toBe(banner.id)
  expect(banner).toMatchObject({ content: 'Fork ended' })
  expect(() => fake.userClicks(banner, owner, 'save:1')).toThrow('is disabled')
})

test('a click may be acknowledged at once and its message changed later', async () => {
  const { fake, owner, dm, channel, next } = await botWithFork()
  const components = [{ type: 1, components: [{ type: 2, style: 1, custom_id: 'b', label: 'B' }] }] as const
  await channel.send({ content: 'before', components })
  const [message] = fake.botMessages(dm.id)
  if (!message) throw new Error('There is no message.')
  fake.userClicks(message, owner, 'b')
  const click = clicked(await next())
  await click.deferUpdate()
  expect(message.content).toBe('before')
  await click.editReply({ content: 'after' })
  await click.followUp({ content: 'done', flags: MessageFlags.Ephemeral })
  expect(fake.botMessages(dm.id)).toMatchObject([
    { content: 'after', components: [{ components: [{ label: 'B' }] }] },
    { content: 'done', flags: MessageFlags.Ephemeral },
  ])
})

test('anybody can make up a click', async () => {
  const { fake, dm, next } = await botWithFork()
  const stranger = fake.createUser('stranger')
  const record = fake.userForges(dm, stranger, 'save:999')
  const click = clicked(await next())
  expect(click).toMatchObject({ customId: 'save:999', user: { id: stranger.id } })
  await click.reply({ content: 'That is over.', flags: MessageFlags.Ephemeral })
  expect(record.callback).toMatchObject({ data: { content: 'That is over.' } })
  expect(fake.interactions).toHaveLength(1)
})

async function botWithFork(options: FakeOptions = {}) {
  const world = await botInDm(options)
  await world.client.rest.put(Routes.applicationCommands(world.fake.bot.id), { body: [forkCommand] })
  return { ...world, next: arrivals(world.client) }
}

/** Gives the interactions one after the other. */
function arrivals(client: Client): () => Promise<Interaction> {
  const arrived: Interaction[] = []
  client.on(Events.InteractionCreate, (interaction) => arrived.push(interaction))
  return async () => {
    await expect.poll(() => arrived.length).toBeGreaterThan(0)
    const first = arrived.shift()
    if (!first) throw new Error('None came.')
    return first
  }
}

function slash(interaction: Interaction): ChatInputCommandInteraction {
  if (interaction.isChatInputCommand()) return interaction
  throw new Error('It is no command.')
}

function clicked(interaction: Interaction): ButtonInteraction {
  if (interaction.isButton()) return interaction
  throw new Error('It is no click.')
}
