import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { until } from '../../../../test/support/until.ts'
import type { Driver } from '../../../agents/driver.ts'
import { type Sleep, untilAborted } from '../../../agents/offline/interruptible.ts'
import { createOfflineDriver } from '../../../agents/offline/offline.ts'
import type { Bough, PersonsDoing } from '../../../bough.ts'
import type { Home } from '../../../home.ts'
import { type BoughOptions, openBough } from '../../../open-bough.ts'
import { openStore } from '../../../store/open.ts'
import type { Store } from '../../../store/store.ts'
import type { Channel } from '../../../tree/channel.ts'
import type { ChannelFrontEnd, SayOptions } from '../../../tree/front-end.ts'
import type { ChannelID, InquiryID, SessionID } from '../../../tree/ids.ts'
import type { InboxItem } from '../../../tree/inbox.ts'
import { type Json, type Message, type Part, resultsOf } from '../../../tree/message.ts'
import type { Outgoing } from '../../../tree/outgoing.ts'
import type { Permission } from '../../../tree/permission.ts'
import type { ExitAction, SideFork } from '../../../tree/side-fork.ts'
import type { Turn, TurnEnd } from '../../../tree/turn.ts'

export const minute = 60_000

export interface GroundOptions {
  /** Instead of the offline agent, which is wrapped so that a test can hold it and decide what it does about notes. */
  readonly drivers?: readonly Driver[]
  /** The configuration file. */
  readonly config?: Json
  readonly lookEvery?: number
  /** Nobody shows the channel, and nobody keeps time. */
  readonly isUnattended?: boolean
}

/** A turn as it was shown. */
export interface ShownTurn {
  readonly turn: Turn
  readonly item: InboxItem
  /** All that came, the prompt first. */
  readonly messages: Message[]
  end: TurnEnd | null
  /** What the agent said is under this id in the chat, as soon as it has ended. */
  externalID: string | null
}

/** A chat that writes down all that it is to show. Its messages are m1, m2 … */
export class RecordingFrontEnd implements ChannelFrontEnd {
  readonly shown: ShownTurn[] = []
  readonly sent: { readonly what: Outgoing; readonly externalID: string }[] = []
  readonly edited: { readonly externalID: string; readonly what: Outgoing }[] = []
  readonly asked: { readonly permission: Permission; readonly signal: AbortSignal }[] = []
  /** The kinds of what was sent, and `turn`, in the order in which they came. */
  readonly log: string[] = []
  /** Called with what was shown, so that a reply to it can go on with its fork. */
  link: (externalID: string, sessionID: SessionID) => Promise<void> = async () => {}
  #messages = 0

  async show(turn: Turn, item: InboxItem): Promise<void> {
    const shown: ShownTurn = { turn, item, messages: [], end: null, externalID: null }
    this.shown.push(shown)
    this.log.push('turn')
    for await (const event of turn.events) if (event.type === 'message') shown.messages.push(event.message)
    shown.end = await turn.ended
    shown.externalID = this.#next()
    await this.link(shown.externalID, turn.sessionID)
  }

  async send(what: Outgoing): Promise<string> {
    const externalID = this.#next()
    this.sent.push({ what, externalID })
    this.log.push(what.kind)
    return externalID
  }

  async edit(externalID: string, what: Outgoing): Promise<void> {
    this.edited.push({ externalID, what })
  }

  async ask(permission: Permission, signal: AbortSignal): Promise<void> {
    this.asked.push({ permission, signal })
  }

  /** What was sent of one kind, the oldest first. */
  kind<K extends Outgoing['kind']>(kind: K): readonly Extract<Outgoing, { kind: K }>[] {
    return this.sent.flatMap(({ what }) => (isKind(what, kind) ? [what] : []))
  }

  #next(): string {
    this.#messages += 1
    return `m${this.#messages}`
  }
}

const isKind = <K extends Outgoing['kind']>(
  what: Outgoing,
  kind: K,
): what is Extract<Outgoing, { kind: K }> => what.kind === kind

/**
 * A channel of a real Bough with the offline agent, on a clock that only the test moves, and a chat that writes down what it
 * is shown. `sleep N` holds the agent until `release(N)`; `answers` says what it does when bough alone tells it something.
 */
export class Ground {
  readonly front = new RecordingFrontEnd()
  readonly home: Home
  /** Where the sessions work. */
  readonly directory: string
  /** It is a little later whenever somebody looks, so that everything has an order. */
  readonly time = { now: Date.UTC(2026, 10, 16, 8) }
  /** What the offline agent is made to do by a prompt in which the key stands: `[fork-timeout]`, say. */
  readonly answers = new Map<string, string>()
  channelID: ChannelID = 'chn_'
  readonly #options: GroundOptions
  readonly #gates = new Map<number, PromiseWithResolvers<void>>()
  #bough: Bough | null = null
  #store: Store | null = null

  private constructor(home: Home, directory: string, options: GroundOptions) {
    this.home = home
    this.directory = directory
    this.#options = options
  }

  /** All of it is closed when the test is over. */
  static async open(options: GroundOptions = {}): Promise<Ground> {
    const root = await mkdtemp(join(tmpdir(), 'ground-'))
    const home = { data: join(root, 'data'), config: join(root, 'config.json') }
    if (options.config !== undefined) await writeFile(home.config, JSON.stringify(options.config))
    const ground = new Ground(home, await mkdtemp(join(tmpdir(), 'ground-project-')), options)
    ground.#bough = await ground.another()
    const main = await ground.bough.create({ directory: ground.directory, title: 'Main' })
    const place = { frontEnd: 'test', key: 'chat', mainID: main.id }
    ground.channelID = (await ground.bough.openChannel(place)).id
    if (!options.isUnattended) await ground.attend()
    return ground
  }

  get bough(): Bough {
    if (!this.#bough) throw new Error('bough is closed.')
    return this.#bough
  }

  readonly clock = (): number => this.time.now++

  pass(minutes: number): void {
    this.time.now += minutes * minute
  }

  /** Another Bough on the same store, as another process would have. */
  async another(options: BoughOptions = {}): Promise<Bough> {
    const { drivers = [this.#heldDriver()], lookEvery = 20 } = this.#options
    const bough = await openBough(this.home, { drivers, lookEvery, clock: this.clock, ...options })
    onTestFinished(() => bough.close().catch(() => {}))
    return bough
  }

  /** Shows the channel in the chat, and keeps time. */
  attend(): Promise<() => Promise<void>> {
    const { bough, channelID } = this
    this.front.link = (externalID, sessionID) => bough.link(channelID, externalID, sessionID)
    return bough.attend(channelID, this.front)
  }

  async close(): Promise<void> {
    await this.bough.close()
    this.#bough = null
  }

  /** Comes back after it was closed; with `attend: false` nobody shows the channel yet. */
  async reopen({ attend = true } = {}): Promise<void> {
    this.#bough = await this.another()
    if (attend) await this.attend()
  }

  /** For what Bough has no method for. */
  async store(): Promise<Store> {
    if (!this.#store) {
      const store = await openStore(this.home.data, this.clock)
      onTestFinished(() => store.close())
      this.#store = store
    }
    return this.#store
  }

  /** What the person does, to its end; resolves with what only they are told. */
  async doing(what: PersonsDoing, options: SayOptions = {}): Promise<readonly string[]> {
    const told: string[] = []
    await this.bough.say(this.channelID, what, { tell: (words) => void told.push(words), ...options })
    return told
  }

  say(text: string): Promise<readonly string[]> {
    return this.doing({ kind: 'message', text })
  }

  fork(topic?: string, idleTimeout?: number): Promise<readonly string[]> {
    return this.doing({
      kind: 'fork',
      ...(topic !== undefined && { topic }),
      ...(idleTimeout !== undefined && { idleTimeout }),
    })
  }

  /** A button of the banner, of the fork that is open or of that one. */
  async exit(action: ExitAction, forkID?: SessionID): Promise<readonly string[]> {
    return this.doing({ kind: 'exit', action, forkID: forkID ?? (await this.openFork()).sessionID })
  }

  reply(externalID: string, text: string, repliedTo = 'what was said there'): Promise<readonly string[]> {
    return this.doing({ kind: 'message', text, replyTo: { externalID, text: repliedTo } })
  }

  click(inquiryID: InquiryID): Promise<readonly string[]> {
    return this.doing({ kind: 'click', inquiryID })
  }

  channel(): Promise<Channel> {
    return this.bough.channel(this.channelID)
  }

  async main(): Promise<SessionID> {
    return (await this.channel()).mainID
  }

  async openFork(): Promise<SideFork> {
    const { openForkID } = await this.channel()
    if (openForkID === null) throw new Error('No fork is open.')
    return this.sideFork(openForkID)
  }

  async isForkOpen(): Promise<boolean> {
    return (await this.channel()).openForkID !== null
  }

  async sideFork(id: SessionID): Promise<SideFork> {
    const fork = await this.bough.sideFork(id)
    if (!fork) throw new Error(`${id} is no fork that comes back.`)
    return fork
  }

  /** Newest first. */
  sideForks(): Promise<readonly SideFork[]> {
    return this.bough.sideForks({ channelID: this.channelID })
  }

  /** What waits for main. */
  async updates(): Promise<readonly string[]> {
    return (await this.bough.updates(this.channelID)).map(({ text }) => text)
  }

  /** A fork that is opened and reports at once. */
  async report(text: string): Promise<void> {
    await this.fork()
    await this.bough.exit((await this.openFork()).sessionID, { action: 'report', text })
  }

  /** A background run that ends; resolves with how it ended. */
  async run(prompt: string): Promise<SideFork> {
    const { sessionID } = await this.bough.runBackground(this.channelID, prompt)
    return this.ended(sessionID)
  }

  ended(id: SessionID): Promise<SideFork> {
    return until(`the end of ${id}`, async () => {
      const fork = await this.sideFork(id)
      return fork.state === 'ended' && fork
    })
  }

  async messages(id: SessionID): Promise<readonly Message[]> {
    return Array.fromAsync(this.bough.line(id))
  }

  /** The newest prompt of a session. */
  async lastPrompt(id: SessionID): Promise<Message> {
    const last = (await this.messages(id)).findLast(({ role }) => role === 'user')
    if (!last) throw new Error(`Nothing was said in ${id}.`)
    return last
  }

  /** What bough put before the newest prompt of a session. */
  async contextOfLast(id: SessionID): Promise<string> {
    return contextIn((await this.lastPrompt(id)).parts)
  }

  /** What bough put before each prompt of a session, oldest first. */
  async contexts(id: SessionID): Promise<readonly string[]> {
    const prompts = (await this.messages(id)).filter(({ role }) => role === 'user')
    return prompts.map(({ parts }) => contextIn(parts))
  }

  /** What the person said on a session's line; empty where bough alone said something. */
  async prompts(id: SessionID): Promise<readonly string[]> {
    return (await this.messages(id)).filter(({ role }) => role === 'user').map(({ text }) => text)
  }

  /** The id in the chat of the first message that an agent, or bough, has sent. */
  async sent(kind: 'message' | 'notice'): Promise<string> {
    return (await until(`a ${kind}`, () => this.front.sent.find(({ what }) => what.kind === kind))).externalID
  }

  /** The first button that an agent has sent. */
  async button(): Promise<InquiryID> {
    return (await until('a button', () => this.front.kind('embed')[0]?.buttons[0])).inquiryID
  }

  /** What a session's tools answered, oldest first. */
  async results(id: SessionID): Promise<readonly string[]> {
    return (await this.messages(id)).flatMap(({ parts }) => resultsOf(parts)).map(({ output }) => output)
  }

  /** Waits until the agent is held by a `sleep N`. */
  async held(gate: number): Promise<void> {
    await until(`somebody at gate ${gate}`, () => this.#gates.has(gate))
  }

  /** Lets the agent go on after its `sleep N`. */
  release(gate: number): void {
    this.#gateOf(gate).resolve()
  }

  /** Waits until bough has looked a few times what time it is. */
  async looks(): Promise<void> {
    // One look asks for the time up to five times.
    const later = this.time.now + 15
    await until('a look at the clock', () => this.time.now > later)
  }

  /** The same, and that it has done all that it found to do. */
  async looked(): Promise<void> {
    await this.looks()
    const store = await this.store()
    await until('an empty queue', async () => (await store.inbox.open(this.channelID)).length === 0)
  }

  #gateOf(gate: number): PromiseWithResolvers<void> {
    const found = this.#gates.get(gate) ?? Promise.withResolvers<void>()
    this.#gates.set(gate, found)
    return found
  }

  #heldDriver(): Driver {
    const sleep: Sleep = (milliseconds, signal) =>
      milliseconds === 0 ? Promise.resolve() : untilAborted(this.#gateOf(milliseconds / 1000).promise, signal)
    const driver = createOfflineDriver({ pace: 0, sleep })
    return {
      ...driver,
      open: async (options) => {
        const connection = await driver.open(options)
        return {
          close: () => connection.close(),
          send: (...told) => connection.send(this.#told(told[0]), told[1]),
        }
      },
    }
  }

  #told(prompt: string): string {
    for (const [key, answer] of this.answers) if (prompt.includes(key)) return answer
    return prompt
  }
}

/** An instruction of the offline agent that calls one of bough's tools. */
export const tool = (name: string, args: Json = {}): string => `tool ${name} ${JSON.stringify(args)}`

/** An instruction to send a card with one button. */
export const embed = (prompt: string): string =>
  tool('send_embed', { title: 'Herons', body: 'There are some.', buttons: [{ label: 'Count', prompt }] })

const contextIn = (parts: readonly Part[]): string =>
  parts.flatMap((part) => (part.type === 'context' ? part.text : [])).join('\n')
