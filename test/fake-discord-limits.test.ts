import type { MessageCreateOptions } from 'discord.js'
import { expect, test } from 'vitest'
import { botInDm, refusal } from './support/discord/real-client.ts'

const button = (custom_id: string, label = 'Press') => ({ type: 2, style: 1, custom_id, label }) as const
const row = (...components: ReturnType<typeof button>[]) => ({ type: 1, components }) as const
const buttons = (count: number) => Array.from({ length: count }, (_, index) => button(`b${index}`))
const letters = (count: number) => '🌳'.repeat(count)

const taken: readonly { what: string; body: MessageCreateOptions }[] = [
  { what: '2,000 characters', body: { content: letters(2000) } },
  {
    what: 'an embed of 6,000',
    body: { embeds: [{ description: letters(4096) }, { description: letters(1904) }] },
  },
  {
    what: 'five rows of five buttons',
    body: { components: [0, 5, 10, 15, 20].map((from) => row(...buttons(25).slice(from, from + 5))) },
  },
  { what: 'a custom id of 100', body: { components: [row(button('x'.repeat(100), 'x'.repeat(80)))] } },
]

test.each(taken)('$what are taken', async ({ body }) => {
  const { fake, channel } = await botInDm()
  await channel.send(body)
  expect(fake.botMessages(channel.id)).toHaveLength(1)
})

const refused: readonly { what: string; at: string; body: MessageCreateOptions }[] = [
  { what: '2,001 characters', at: 'content', body: { content: letters(2001) } },
  { what: 'a title of 257', at: 'embeds.0.title', body: { embeds: [{ title: letters(257) }] } },
  {
    what: 'a description of 4,097',
    at: 'embeds.0.description',
    body: { embeds: [{ description: letters(4097) }] },
  },
  {
    what: 'a footer of 2,049',
    at: 'embeds.0.footer.text',
    body: { embeds: [{ footer: { text: letters(2049) } }] },
  },
  {
    what: 'a field of 1,025',
    at: 'embeds.0.fields.0.value',
    body: { embeds: [{ fields: [{ name: 'n', value: letters(1025) }] }] },
  },
  {
    what: 'embeds of 6,001 together',
    at: 'embeds',
    body: { embeds: [{ description: letters(4096) }, { description: letters(1905) }] },
  },
  { what: '11 embeds', at: 'embeds', body: { embeds: Array.from({ length: 11 }, () => ({ title: 't' })) } },
  { what: 'six buttons in a row', at: 'components.0.components', body: { components: [row(...buttons(6))] } },
  { what: 'six rows', at: 'components', body: { components: buttons(6).map((one) => row(one)) } },
  {
    what: 'a label of 81',
    at: 'components.0.components.0.label',
    body: { components: [row(button('b', 'x'.repeat(81)))] },
  },
  {
    what: 'a custom id of 101',
    at: 'components.0.components.0.custom_id',
    body: { components: [row(button('x'.repeat(101)))] },
  },
  {
    what: 'an empty custom id',
    at: 'components.0.components.0.custom_id',
    body: { components: [row(button(''))] },
  },
  {
    what: 'the same custom id twice',
    at: 'components.1.components.0.custom_id',
    body: { components: [row(button('b')), row(button('b'))] },
  },
  { what: 'a nonce of 26', at: 'nonce', body: { content: 'x', nonce: 'x'.repeat(26) } },
]

test.each(refused)('$what are refused, and Discord says where', async ({ at, body }) => {
  const { fake, channel } = await botInDm()
  const error = await refusal(channel.send(body))
  expect(error).toMatchObject({ status: 400, code: 50035 })
  expect(error.message).toContain(`${at.replaceAll(/\.(\d+)/g, '[$1]')}[`)
  expect(fake.botMessages(channel.id)).toEqual([])
})

test('an edit is held to the same limits, and what it does not name stays', async () => {
  const { fake, channel } = await botInDm()
  const message = await channel.send({ content: 'first', components: [row(button('b'))] })
  await message.edit({ content: 'second' })
  expect(await refusal(message.edit({ content: letters(2001) }))).toMatchObject({ code: 50035 })
  expect(await refusal(message.edit({ content: '', components: [] }))).toMatchObject({ code: 50006 })
  expect(fake.botMessages(channel.id)).toMatchObject([
    { content: 'second', components: [{ components: [{ label: 'Press' }] }] },
  ])
  expect(fake.history.map(({ kind, message: { content } }) => [kind, content])).toEqual([
    ['create', 'first'],
    ['edit', 'second'],
  ])
})

test('a message with nothing in it is refused', async () => {
  const { channel } = await botInDm()
  expect(await refusal(channel.send({ content: ' \n' }))).toMatchObject({ status: 400, code: 50006 })
})

test('a file above ten megabytes is refused', async () => {
  const { fake, channel } = await botInDm()
  const attachment = Buffer.alloc(10 * 1024 * 1024 + 1)
  expect(await refusal(channel.send({ files: [{ attachment, name: 'large' }] }))).toMatchObject({
    status: 413,
    code: 40005,
  })
  expect(fake.attachments).toEqual([])
})

const badCommands = [
  { what: 'a name with capitals', command: { name: 'Fork', description: 'd' } },
  { what: 'no description', command: { name: 'fork', description: '' } },
  {
    what: 'an option that is needed after one that is not',
    command: {
      name: 'fork',
      description: 'd',
      options: [
        { type: 3, name: 'a', description: 'd' },
        { type: 3, name: 'b', description: 'd', required: true },
      ],
    },
  },
] as const

test.each(badCommands)('a command with $what is refused', async ({ command }) => {
  const { fake, client } = await botInDm()
  const registered = client.rest.put(`/applications/${fake.bot.id}/commands`, { body: [command] })
  expect(await refusal(registered)).toMatchObject({ status: 400, code: 50035 })
  expect(fake.commands).toEqual([])
})
