import {
  Client,
  type ClientOptions,
  DiscordAPIError,
  Events,
  GatewayIntentBits,
  type Message,
  Partials,
} from 'discord.js'
import { onTestFinished } from 'vitest'
import { leave } from '../../../src/discord/connection/leave.ts'
import { FakeDiscord, type FakeOptions } from './fake-discord.ts'

/** A fake that is gone when the test is over, with somebody who has a direct channel to the bot. */
export async function fakeWithOwner(options: FakeOptions = {}) {
  const fake = await new FakeDiscord({ rateLimits: false, ...options }).start()
  onTestFinished(() => fake.stop())
  const owner = fake.createUser()
  return { fake, owner, dm: fake.openDm(owner) }
}

/** The real discord.js, which notes what people say; ready when it is given out. */
export async function realClient(fake: FakeDiscord, options: Partial<ClientOptions> = {}) {
  const client = new Client({
    intents: [GatewayIntentBits.DirectMessages],
    partials: [Partials.Channel],
    // It would wait five seconds before it identifies again.
    ws: { buildIdentifyThrottler: () => ({ waitForIdentify: async () => {} }) },
    ...options,
    rest: { api: fake.api, ...options.rest },
  })
  onTestFinished(() => leave(client))
  const heard: Message[] = []
  client.on(Events.Error, () => {})
  client.on(Events.MessageCreate, (message) => {
    if (!message.author.bot) heard.push(message)
  })
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve))
  await client.login(fake.token)
  await ready
  return { client, heard, words: () => heard.map(({ content }) => content) }
}

/** A bot that has its owner's channel at hand. */
export async function botInDm(fakeOptions: FakeOptions = {}, clientOptions: Partial<ClientOptions> = {}) {
  const world = await fakeWithOwner(fakeOptions)
  const bot = await realClient(world.fake, clientOptions)
  return { ...world, ...bot, channel: await bot.client.users.createDM(world.owner.id) }
}

/** What Discord answered to something that it did not do. */
export async function refusal(asked: Promise<unknown>): Promise<DiscordAPIError> {
  const error = await asked.then(
    () => 'done',
    (reason: unknown) => reason,
  )
  if (error instanceof DiscordAPIError) return error
  throw new Error(`It was not refused: ${error}`)
}
