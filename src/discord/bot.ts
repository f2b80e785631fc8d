import { setTimeout as pause } from 'node:timers/promises'
import type { Bough, CreateOptions, PersonsDoing } from '../bough.ts'
import { BoughError, hasCode, messageOf } from '../tree/error.ts'
import type { ChannelID, SessionID } from '../tree/ids.ts'
import { plainLine } from '../tree/plain-text.ts'
import { Approvals } from './approvals.ts'
import type { Desk } from './commands/desk.ts'
import { slashCommands } from './commands/slash-commands.ts'
import { connectDiscord, type DiscordAccount } from './connection/connect.ts'
import { frontEndOf } from './front-end.ts'
import { Marks } from './marks.ts'
import { nonceOf } from './nonce.ts'
import type { Asker, Click, Heard, Hearing, Port, SlashCommand } from './port.ts'
import { Posting } from './posting.ts'
import { putBackFiles } from './put-back-files.ts'
import { type Pace, usualPace } from './stream/stream-reply.ts'
import { withoutMark } from './stream/unfinished.ts'
import { TrustQuestions } from './trust-questions.ts'
import { overBanners } from './views/banners.ts'
import { deedOf } from './views/button-id.ts'
import { aside } from './views/limits.ts'
import { withoutRunMark } from './views/run-mark.ts'

export interface BotOptions extends DiscordAccount {
  /** How the main conversation begins where there is none yet. */
  readonly beginning: CreateOptions
  /** The session that it is instead. */
  readonly mainID?: SessionID
  readonly pace?: Pace
  log(words: string): void
}

/** Milliseconds until it is asked again what was missed, where Discord did not tell. */
const askAgainAfter = 2_000
/** Milliseconds that the end of a turn has to be shown when the bot is closed. */
const lastWordsLast = 5_000

/**
 * The owner's direct messages as a channel. What comes in is handed on in its order, and nothing is decided here. What was missed
 * is asked for whenever the connection stands; what was heard before is known by its id.
 */
export class Bot {
  /** Resolves with why when Discord lets the bot in no more: then it can only be closed. */
  readonly lost: Promise<Error>
  readonly #bough: Bough
  readonly #port: Port
  readonly #channelID: ChannelID
  readonly #posting: Posting
  readonly #approvals: Approvals
  readonly #trust: TrustQuestions
  readonly #marks: Marks
  readonly #log: (words: string) => void
  readonly #closing = new AbortController()
  /** What was asked for when the connection came to stand. The gateway may tell of it, too. */
  readonly #caughtUp = new Set<string>()
  /** What was handed in and is not done, and turns that are shown. */
  readonly #underWay = new Set<Promise<unknown>>()

  private constructor(
    bough: Bough,
    port: Port,
    channelID: ChannelID,
    lost: Promise<Error>,
    log: (words: string) => void,
  ) {
    this.lost = lost
    this.#bough = bough
    this.#port = port
    this.#channelID = channelID
    this.#posting = new Posting(bough, port, channelID)
    this.#approvals = new Approvals(bough, port, this.#closing.signal, log)
    this.#trust = new TrustQuestions(bough, port, channelID, this.#closing.signal)
    this.#marks = new Marks(bough, port, channelID, this.#closing.signal)
    this.#log = log
  }

  static async open(bough: Bough, options: BotOptions): Promise<Bot> {
    const { ownerID, mainID, beginning, pace = usualPace, log } = options
    const opened = Promise.withResolvers<Bot>()
    const lost = Promise.withResolvers<Error>()
    const heard = hearing(opened.promise, log)
    const port = await connectDiscord(options, slashCommands, { ...heard, lost: lost.resolve })
    try {
      const place = { frontEnd: 'discord', key: ownerID, ...(mainID !== undefined && { mainID }) }
      const { id } = await bough.openChannel(place, beginning)
      const bot = new Bot(bough, port, id, lost.promise, log)
      await bot.#lookAround()
      await bot.#attend(pace)
      opened.resolve(bot)
      return bot
    } catch (error) {
      await port.close()
      throw error
    }
  }

  /** What was said while nobody listened. */
  async catchUp(): Promise<void> {
    const { lastHeard, created } = await this.#bough.channel(this.#channelID)
    let after = lastHeard ?? this.#port.idAt(created)
    this.#caughtUp.clear()
    while (!this.#closing.signal.aborted) {
      try {
        for await (const heard of this.#port.heardAfter(after)) {
          await this.accept(heard)
          this.#caughtUp.add(heard.id)
          after = heard.id
        }
        return
      } catch (error) {
        this.#log(`Discord did not say what was missed: ${messageOf(error)}`)
        await pause(askAgainAfter, undefined, { signal: this.#closing.signal }).catch(() => {})
      }
    }
  }

  /** Hands a message on; resolves as soon as it cannot be lost any more. */
  async accept({ id, text, replyTo }: Heard): Promise<void> {
    if (this.#caughtUp.has(id)) return
    if (replyTo) await this.#posting.noted()
    // Who replies to what is still written quotes what was said, not our sign under it.
    const quote = replyTo && {
      ...replyTo,
      text: withoutRunMark(withoutMark(replyTo.text) ?? replyTo.text),
    }
    const message = { kind: 'message', text, externalID: id, ...(quote && { replyTo: quote }) } as const
    const taken = Promise.withResolvers<void>()
    const isBusy = this.#underWay.size > 0
    const asker = { tell: (words: string) => this.#tell(words) }
    const stored = (): void => {
      if (isBusy) this.#beside(this.#marks.set(id))
      taken.resolve()
    }
    const said = this.#say(message, asker, stored).catch((error) => this.#refuse(error, asker))
    this.#beside(said.then(() => this.#marks.sweep()))
    await Promise.race([taken.promise, said])
  }

  /** Does what a command asks for; resolves when what it hands in cannot be lost any more. */
  async obey(given: SlashCommand): Promise<void> {
    const taken = Promise.withResolvers<void>()
    const command = slashCommands.find(({ name }) => name === given.name)
    const desk: Desk = {
      bough: this.#bough,
      channel: () => this.#bough.channel(this.#channelID),
      say: (what, asker) => this.#say(what, asker, taken.resolve),
    }
    const done = command
      ? command.run(desk, given).catch((error) => this.#refuse(error, given))
      : given.tell('I do not know this command.')
    await Promise.race([taken.promise, done])
  }

  async click(click: Click): Promise<void> {
    const taken = Promise.withResolvers<void>()
    const done = this.#press(click, taken.resolve).catch((error) => this.#refuse(error, click))
    await Promise.race([taken.promise, done])
  }

  /** Listens no more; turns that run have so long to end, in milliseconds, and their end is shown. */
  async close(grace = 0): Promise<void> {
    this.#closing.abort()
    try {
      await this.#bough.close({ grace })
      const last = pause(lastWordsLast, undefined, { ref: false })
      await Promise.race([Promise.allSettled(this.#underWay), last])
    } finally {
      await this.#port.close()
    }
  }

  get isClosing(): boolean {
    return this.#closing.signal.aborted
  }

  // What was left by whoever was here before. What Discord does not take of that is no reason not to begin.
  async #lookAround(): Promise<void> {
    const recent = await this.#port.recent()
    this.#marks.restore(recent)
    await this.#approvals.restore(recent)
    this.#beside(this.#trust.ask(recent))
    for (const { id, content } of await overBanners(this.#bough, recent))
      this.#beside(this.#port.insist(() => this.#port.edit(id, content), this.#closing.signal))
    // Not beside, and once: whoever goes on with a reply in its message comes after this.
    for (const { id, text } of recent) {
      const said = withoutMark(text)
      const failed = (error: unknown) => this.#log(`An old reply still says “writing”: ${messageOf(error)}`)
      if (said !== null) await this.#port.edit(id, { text: said }).catch(failed)
    }
  }

  async #attend(pace: Pace): Promise<void> {
    const frontEnd = frontEndOf({
      port: this.#port,
      posting: this.#posting,
      approvals: this.#approvals,
      sweep: () => this.#beside(this.#marks.sweep()),
      pace,
      runOf: (sessionID) => this.#runOf(sessionID),
      log: this.#log,
    })
    this.#beside(this.#followAnswers())
    await this.#bough.attend(this.#channelID, {
      ...frontEnd,
      show: (turn, item) => this.#during(frontEnd.show(turn, item)),
    })
    this.#beside(this.#marks.sweep())
  }

  // A run that was saved is main, and speaks as such.
  async #runOf(sessionID: SessionID): Promise<string | null> {
    const fork = await this.#bough.sideFork(sessionID)
    if (fork?.kind !== 'background' || fork.outcome === 'saved') return null
    return plainLine((await this.#bough.session(sessionID)).title)
  }

  async #followAnswers(): Promise<void> {
    for await (const event of this.#bough.events({ signal: this.#closing.signal }))
      if (event.kind === 'permission.answered')
        await this.#approvals.settled(event.subjectID).catch((error) => this.#log(messageOf(error)))
  }

  async #press(click: Click, taken: () => void): Promise<void> {
    const deed = deedOf(click.buttonID)
    switch (deed?.kind) {
      case 'exit':
        return this.#say({ ...deed }, click, taken)
      case 'put-back':
        return putBackFiles(this.#bough, this.#channelID, deed.forkID, click)
      case 'ask':
        await this.#say({ kind: 'click', inquiryID: deed.inquiryID }, whileItWaits(click), taken)
        return click.switchOff()
      case 'answer':
        return this.#approvals.answer(deed.permissionID, deed.answer, click)
      case 'trust':
        return this.#trust.answer(deed, click)
      case undefined:
        throw new BoughError('not_found', 'That button does nothing any more.')
    }
  }

  /** Resolves when its turn has begun, or it is done without one. */
  async #say(what: PersonsDoing, asker: Asker, taken: () => void): Promise<void> {
    const begun = Promise.withResolvers<void>()
    const done = this.#bough.say(this.#channelID, what, {
      taken,
      began: () => begun.resolve(),
      tell: (words) => void this.#answer(asker, words),
    })
    this.#during(done).then(begun.resolve, begun.reject)
    await begun.promise
  }

  #during<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work)
    const over = () => void this.#underWay.delete(work)
    work.then(over, over)
    return work
  }

  /** What nobody waits for. What is closed is done when the bot runs again. */
  #beside(work: Promise<unknown>): void {
    work.catch((error) => this.isClosing || hasCode(error, 'closed') || this.#log(messageOf(error)))
  }

  async #tell(words: string): Promise<void> {
    const nonce = nonceOf(crypto.randomUUID())
    await this.#port.insist(() => this.#port.send({ text: aside(words) }, nonce), this.#closing.signal)
  }

  // What is closed is done when the bot runs again. Nothing else waits until it is told: Discord may be away.
  #refuse(error: unknown, asker: Asker): void {
    if (hasCode(error, 'closed')) return
    if (!(error instanceof BoughError)) this.#log(messageOf(error))
    void this.#during(this.#answer(asker, messageOf(error)))
  }

  // Who waited longer than a quarter of an hour can only be answered in the conversation.
  async #answer(asker: Asker, words: string): Promise<void> {
    await asker
      .tell(words)
      .catch(() => this.#tell(words))
      .catch((error) => this.#log(messageOf(error)))
  }
}

/** Something is told only of a click that waits for main: its button is used up already. */
const whileItWaits = (click: Click): Asker => ({
  async tell(words) {
    await click.tell(words)
    await click.switchOff()
  },
})

/** Hands on what comes in, in the order in which it came, as soon as there is somebody to take it. */
function hearing(opened: Promise<Bot>, log: (words: string) => void): Omit<Hearing, 'lost'> {
  let order: Promise<unknown> = Promise.resolve()
  const inOrder = <T>(coming: Promise<T>, work: (bot: Bot, what: T) => Promise<void>): void => {
    const before = order
    // What cannot be had is passed over, but keeps its place until what came before is handed on.
    const mine = coming
      .then(async (what) => {
        await before
        const bot = await opened
        if (!bot.isClosing) await work(bot, what)
      })
      .catch((error) => log(messageOf(error)))
    order = before.then(() => mine)
  }
  return {
    ready: () => inOrder(Promise.resolve(), (bot) => bot.catchUp()),
    message: (heard) => inOrder(heard, (bot, what) => bot.accept(what)),
    command: (given) => inOrder(given, (bot, what) => bot.obey(what)),
    click: (click) => inOrder(click, (bot, what) => bot.click(what)),
    log,
  }
}
