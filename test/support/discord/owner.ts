import { deedOf } from '../../../src/discord/views/button-id.ts'
import { wordsOf } from './bot-ground.ts'
import type { Dm } from './conversations.ts'
import type { FakeDiscord } from './fake-discord.ts'
import type { Message } from './message.ts'

/** Somebody who does anything at any time in their direct messages. What they write is told from all else by its number. */
export class Owner {
  readonly user: ReturnType<FakeDiscord['createUser']>
  readonly dm: Dm
  /** What they wrote, in its order. */
  readonly written: string[] = []
  readonly #fake: FakeDiscord
  readonly #random: () => number
  #number = 0

  constructor(fake: FakeDiscord, random: () => number) {
    this.#fake = fake
    this.#random = random
    this.user = fake.createUser()
    this.dm = fake.openDm(this.user)
  }

  /** Does one thing; what cannot be done now is not done. */
  act(): void {
    const chance = this.#random()
    const topic = `topic ${this.#number}`
    if (chance < 0.12) this.writes('heron')
    else if (chance < 0.24) for (const bird of ['stork', 'crane', 'egret']) this.writes(bird)
    else if (chance < 0.37) this.writes('long', 'words 500\n')
    else if (chance < 0.5) this.writes('run', '', `\n${run(this.#number)}`)
    else if (chance < 0.58) this.writes('ask', 'run echo yes\n')
    else if (chance < 0.72) this.forks(this.#random() < 0.6 ? { topic } : {})
    else if (chance < 0.82) this.#clicks('exit')
    else if (chance < 0.9) this.#clicks('ask')
    else if (chance < 0.94) this.answers()
    else this.#replies()
  }

  writes(word: string, before = '', after = '', replyTo?: Message): void {
    this.#number++
    const text = `${before}${word} ${this.#number}${after}`
    this.written.push(text)
    this.#fake.userSends(this.dm, this.user, text, replyTo && { replyTo })
  }

  forks(options: { readonly topic?: string } = {}): void {
    this.#fake.userRuns(this.dm, this.user, 'fork', options)
  }

  /** Answers something that an agent asks, if anything is asked. */
  answers(): void {
    this.#clicks('answer')
  }

  /** What of the bot is in the conversation, but for what it told only them. */
  get sees(): readonly Message[] {
    return this.#fake.botMessages(this.dm.id).filter(({ flags }) => !((flags ?? 0) & 64))
  }

  nonceOf(message: Message): string | undefined {
    return this.#fake.nonceOf(message)
  }

  /** Messages that have a sign of the bot's. */
  get marked(): readonly Message[] {
    return this.#fake.channelMessages(this.dm.id).filter(({ reactions = [] }) => reactions.length > 0)
  }

  /** The buttons that can be clicked. */
  get buttons(): readonly { readonly message: Message; readonly id: string }[] {
    return this.sees.flatMap((message) =>
      (message.components ?? [])
        .flatMap(({ components = [] }) => components)
        .flatMap(({ custom_id: id = '', disabled = false }) => (disabled ? [] : [{ message, id }])),
    )
  }

  #clicks(kind: 'exit' | 'ask' | 'answer'): void {
    const button = this.#any(this.buttons.filter(({ id }) => deedOf(id)?.kind === kind))
    if (button) this.#fake.userClicks(button.message, this.user, button.id)
  }

  #replies(): void {
    const ping = this.#any(this.sees.filter((message) => /^ping/.test(wordsOf(message))))
    if (ping) this.writes('reply', '', '', ping)
  }

  #any<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(this.#random() * all.length)]
  }
}

/** Starts a run that sends words, and a card with a button. */
function run(number: number): string {
  const buttons = [{ label: 'Count', prompt: `count ${number}` }]
  const card = { title: 'Card', body: `card ${number}`, buttons }
  const prompt = `tool ping_user ${JSON.stringify({ text: `ping ${number}` })}\ntool send_embed ${JSON.stringify(card)}`
  return `tool run_background ${JSON.stringify({ prompt })}`
}
