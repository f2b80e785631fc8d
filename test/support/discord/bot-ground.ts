import { expect, onTestFinished } from 'vitest'
import { Bot } from '../../../src/discord/bot.ts'
import type { DiscordAccount } from '../../../src/discord/connection/connect.ts'
import type { Pace } from '../../../src/discord/stream/stream-reply.ts'
import { Ground, type GroundOptions, minute } from '../../../src/forks/side/testing/ground.ts'
import { until } from '../until.ts'
import type { Dm } from './conversations.ts'
import { FakeDiscord, type FakeOptions } from './fake-discord.ts'
import { factor, fastPace } from './fast-pace.ts'
import type { InteractionRecord } from './interactions.ts'
import type { Message } from './message.ts'
import type { SendOptions } from './people.ts'
import { scaledLimits } from './rate-limits.ts'

export interface BotGroundOptions {
  readonly ground?: GroundOptions
  readonly fake?: FakeOptions
  readonly pace?: Partial<Pace>
  /** The bot has not come yet. */
  readonly isAway?: boolean
  /** The test is about requests that Discord refuses. */
  readonly isAboutLimits?: boolean
}

/** The bot, with the real discord.js, in the direct messages of its owner, on a ground whose clock only the test moves. */
export class BotGround {
  readonly fake: FakeDiscord
  readonly ground: Ground
  readonly owner: ReturnType<FakeDiscord['createUser']>
  readonly dm: Dm
  readonly log: string[] = []
  readonly #options: BotGroundOptions
  readonly #clock: { ahead: number }
  #bot: Bot | null = null

  private constructor(
    fake: FakeDiscord,
    ground: Ground,
    clock: { ahead: number },
    options: BotGroundOptions,
  ) {
    this.fake = fake
    this.ground = ground
    this.#clock = clock
    this.owner = fake.createUser()
    this.dm = fake.openDm(this.owner)
    this.#options = options
  }

  static async open(options: BotGroundOptions = {}): Promise<BotGround> {
    const clock = { ahead: 0 }
    const now = () => Date.now() + clock.ahead
    const fake = await new FakeDiscord({ rateLimits: scaledLimits(factor), now, ...options.fake }).start()
    const ground = await Ground.open({ isUnattended: true, ...options.ground })
    const world = new BotGround(fake, ground, clock, options)
    onTestFinished(async () => {
      await world.stop()
      await fake.stop()
      expect(fake.unhandled).toEqual([])
      if (!options.isAboutLimits) expect(tooMany(fake)).toEqual([])
    })
    if (!options.isAway) await world.start()
    return world
  }

  get account(): DiscordAccount {
    const { fake, owner } = this
    return { token: fake.token, ownerID: owner.id, api: fake.api }
  }

  /** The bot comes, or comes back. */
  async start(): Promise<void> {
    const { ground, owner, log } = this
    this.#bot = await Bot.open(ground.bough, {
      ...this.account,
      beginning: { title: 'Discord', directory: ground.directory },
      pace: { ...fastPace, ...this.#options.pace },
      log: (words) => void log.push(words),
    })
    ground.channelID = (await ground.bough.openChannel({ frontEnd: 'discord', key: owner.id })).id
  }

  /** The bot goes, as with Ctrl-C. */
  async stop(): Promise<void> {
    await this.#bot?.close()
    this.#bot = null
  }

  /** It goes, and comes back on the same store. */
  async restart(): Promise<void> {
    await this.stop()
    await this.comesBack()
  }

  async comesBack(): Promise<void> {
    await this.ground.reopen({ attend: false })
    await this.start()
  }

  /** It is so much later, here and at Discord. */
  pass(minutes: number): void {
    this.#clock.ahead += minutes * minute
    this.ground.pass(minutes)
  }

  // What the owner does.

  writes(text: string, options: SendOptions = {}): Message {
    return this.fake.userSends(this.dm, this.owner, text, options)
  }

  runs(command: string, options: Readonly<Record<string, string>> = {}): InteractionRecord {
    return this.fake.userRuns(this.dm, this.owner, command, options)
  }

  clicks(message: Message, button: string): InteractionRecord {
    return this.fake.userClicks(message, this.owner, button)
  }

  // What the owner sees.

  /** Messages of the bot that everybody in the conversation would see, as they are now. */
  get said(): readonly Message[] {
    return this.fake.botMessages(this.dm.id).filter(({ flags }) => !((flags ?? 0) & 64))
  }

  /** What the bot has told only the one who asked. */
  get whispered(): readonly string[] {
    return this.fake
      .botMessages(this.dm.id)
      .filter(({ flags }) => (flags ?? 0) & 64)
      .map(({ content }) => content)
  }

  get words(): readonly string[] {
    return this.said.map(wordsOf)
  }

  /** Messages that have a button which can be clicked. */
  get live(): readonly Message[] {
    return this.said.filter(({ components = [] }) =>
      components.some((row) => row.components?.some(({ disabled = false }) => !disabled)),
    )
  }

  /** How often the bot has connected to the gateway, and been taken. */
  get connections(): number {
    return this.#told('READY') + this.#told('RESUMED')
  }

  /** How often it went on with the connection that it had. */
  get resumptions(): number {
    return this.#told('RESUMED')
  }

  /** Waits until a message says that, and no more is about to come. */
  hears(words: string | RegExp): Promise<Message> {
    return this.fake.until(`the bot to say ${words}`, () =>
      this.said.find((message) => fits(wordsOf(message), words) && !wordsOf(message).includes('writing …')),
    )
  }

  whispers(words: string | RegExp): Promise<string> {
    return this.fake.until(`the bot to whisper ${words}`, () =>
      this.whispered.find((each) => fits(each, words)),
    )
  }

  /** What the owner has told a session. */
  async toldMain(): Promise<readonly string[]> {
    return this.ground.prompts(await this.ground.main())
  }

  /** Waits until the main conversation was told so many things, and all is answered. */
  async told(count: number): Promise<readonly string[]> {
    await until(`${count} prompts in main`, async () => (await this.toldMain()).length >= count)
    await this.ground.looked()
    return this.toldMain()
  }

  /** Messages that have the bot's sign now. */
  get marked(): readonly string[] {
    return this.fake
      .channelMessages(this.dm.id)
      .filter(({ reactions = [] }) => reactions.length > 0)
      .map(({ content }) => content)
  }

  /** Writes, and waits until that is answered. */
  async asks(text: string, answer: string | RegExp, options: SendOptions = {}): Promise<Message> {
    this.writes(text, options)
    return this.hears(answer)
  }

  /** Opens a fork; resolves with its banner. */
  async forks(topic?: string): Promise<Message> {
    const before = this.said.length
    this.runs('fork', topic === undefined ? {} : { topic })
    return this.fake.until('the banner', () => this.said.slice(before).find(isBanner))
  }

  #told(event: 'READY' | 'RESUMED'): number {
    return this.fake.gatewayLog.filter(({ dir, t }) => dir === 'out' && t === event).length
  }
}

/** All that stands in a message: its text, its cards. */
export const wordsOf = ({ content, embeds }: Message): string =>
  [content, ...embeds.flatMap(({ title, description }) => [title ?? '', description ?? ''])]
    .filter((text) => text !== '')
    .join('\n')

export const isBanner = (message: Message): boolean => wordsOf(message).startsWith('Forked session')

const tooMany = ({ requests }: FakeDiscord): readonly string[] =>
  requests.flatMap(({ status, method, path }) => (status === 429 ? `${method} ${path}` : []))

const fits = (text: string, words: string | RegExp): boolean =>
  typeof words === 'string' ? text.includes(words) : words.test(text)
