import type { Bough } from '../../../../src/bough.ts'
import { shortID } from '../../../../src/tree/ids.ts'
import { anyOf } from '../../comeback-acts.ts'
import { globalLimit } from '../../discord/faults.ts'
import { isEphemeral, type Message } from '../../discord/message.ts'
import type { Crew } from '../crew.ts'
import { markIn } from '../said.ts'
import { anyPrompt } from '../sayings.ts'
import type { Act, Person, Surroundings } from './person.ts'

/** The owner of the bot, in their direct messages. What they do while the bot is gone it has to find when it comes back. */
export class OnDiscord implements Person {
  readonly name = 'on Discord'
  readonly #around: Surroundings
  readonly #discord: Crew['discord']
  readonly #bough: Bough

  constructor(discord: Crew['discord'], bough: Bough, around: Surroundings) {
    this.#discord = discord
    this.#bough = bough
    this.#around = around
  }

  readonly acts: readonly Act[] = [
    { often: 10, name: 'write', run: async () => this.#write() },
    { often: 3, name: 'reply', run: async () => this.#reply() },
    { often: 3, name: 'click', run: async () => this.#click() },
    { often: 2, name: '/fork', run: async () => this.#command('fork') },
    { often: 2, name: '/fork with a topic', run: async () => this.#fork() },
    { often: 1, name: '/save', run: async () => this.#command('save') },
    { often: 1, name: '/report', run: async () => this.#command('report') },
    { often: 1, name: '/exit', run: async () => this.#command('exit') },
    { often: 1, name: '/interrupt', run: async () => this.#command('interrupt') },
    { often: 1, name: '/tree', run: async () => this.#command('tree') },
    { often: 1, name: '/sessions', run: async () => this.#command('sessions') },
    { often: 1, name: '/open', run: () => this.#open() },
    { often: 2, name: 'trouble with Discord', run: async () => this.#trouble() },
  ]

  #write(replyTo?: Message): void {
    const { said, random } = this.#around
    const { fake, dm, owner } = this.#discord
    const text = anyPrompt(random, said)
    const { id } = fake.userSends(dm, owner, text, replyTo ? { replyTo } : {})
    said.onDiscord.set(id, markIn(text) ?? '')
  }

  #reply(): void {
    const said = this.#botMessages
    if (said.length > 0) this.#write(anyOf(this.#around.random, said))
  }

  #click(): void {
    const { fake, owner } = this.#discord
    const buttons = this.#botMessages.flatMap((message) =>
      message.components
        .flatMap(({ components = [] }) => components)
        .flatMap(({ custom_id: id, disabled }) => (id === undefined || disabled ? [] : [{ message, id }])),
    )
    if (buttons.length === 0) return
    const { message, id } = anyOf(this.#around.random, buttons.slice(-10))
    fake.userClicks(message, owner, id)
  }

  #fork(): void {
    const { said, random } = this.#around
    this.#command('fork', { topic: anyPrompt(random, said).replaceAll('\n', ' ') })
  }

  async #open(): Promise<void> {
    const sessions = await this.#bough.sessions({ limit: 20 })
    this.#command('open', { session: shortID(anyOf(this.#around.random, sessions).id) })
  }

  #command(name: string, options: Readonly<Record<string, string>> = {}): void {
    const { fake, dm, owner } = this.#discord
    // Their client knows no command before the bot has told Discord of it.
    if (fake.commands.some((command) => command.name === name)) fake.userRuns(dm, owner, name, options)
  }

  #trouble(): void {
    const { fake } = this.#discord
    anyOf(this.#around.random, [
      () => fake.dropSockets(),
      () => fake.sendReconnect(),
      () => {
        fake.invalidateSessions()
        fake.dropSockets()
      },
      () => fake.faults.push(globalLimit(500)),
      () => fake.faults.push({ method: 'POST', path: /messages$/, status: 500, after: true }),
      () => fake.faults.push({ method: 'PATCH', destroySocket: true }),
    ])()
  }

  get #botMessages(): readonly Message[] {
    const { fake, dm } = this.#discord
    return fake.botMessages(dm.id).filter((message) => !isEphemeral(message))
  }
}
