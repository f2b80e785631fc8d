import type { Bough } from '../../../../src/bough.ts'
import { connect } from '../../../../src/client/connect.ts'
import type { Message } from '../../../../src/tree/message.ts'
import type { Session } from '../../../../src/tree/session.ts'
import { act, anyOf, noting, type Player } from '../../comeback-acts.ts'
import type { Address } from '../../event-reader.ts'
import type { SoakGround } from '../ground.ts'
import { markIn } from '../said.ts'
import { anyPrompt } from '../sayings.ts'
import type { Act, Person, Surroundings } from './person.ts'

interface Parts {
  readonly around: Surroundings
  readonly ground: SoakGround
  readonly bough: Bough
  readonly player: Player
}

/** A program that uses bough over HTTP: in a channel of its own, and on all sessions there are. */
export class OverHttp implements Person {
  readonly name: string
  readonly #around: Surroundings
  readonly #ground: SoakGround
  readonly #bough: Bough
  readonly #player: Player

  static async open(
    name: string,
    address: Address,
    ground: SoakGround,
    around: Surroundings,
  ): Promise<OverHttp> {
    const bough = await connect(address)
    const { id } = await bough.openChannel({ frontEnd: 'soak', key: name }, { directory: ground.project })
    const shown = { shown: [], buttons: [] }
    await bough.attend(id, noting(shown))
    const player = { bough, channelID: id, random: around.random, ...shown, advance: null }
    return new OverHttp(name, { around, ground, bough, player })
  }

  private constructor(name: string, parts: Parts) {
    this.name = name
    this.#around = parts.around
    this.#ground = parts.ground
    this.#bough = parts.bough
    this.#player = parts.player
  }

  get bough(): Bough {
    return this.#bough
  }

  close(): Promise<void> {
    return this.#bough.close()
  }

  readonly acts: readonly Act[] = [
    { often: 10, name: 'in its channel', run: () => act(this.#player) },
    { often: 6, name: 'send', run: () => this.#send() },
    { often: 2, name: 'create', run: () => this.#create() },
    { often: 4, name: 'fork, same', run: () => this.#fork('same') },
    { often: 2, name: 'fork, worktree', run: () => this.#fork('worktree') },
    { often: 1, name: 'fork, clean', run: () => this.#fork('clean') },
    { often: 2, name: 'approve', run: () => this.#approve() },
    { often: 2, name: 'abort', run: () => this.#abort() },
    { often: 1, name: 'promote', run: () => this.#promote() },
    { often: 1, name: 'remind', run: () => this.#remind() },
    { often: 1, name: 'routine', run: () => this.#routine() },
    { often: 2, name: 'remove', run: () => this.#remove() },
    { often: 1, name: 'gc', run: () => this.#bough.gc() },
    { often: 3, name: 'look', run: () => this.#look() },
  ]

  async #create(): Promise<void> {
    const session = await this.#bough.create({ directory: this.#ground.project })
    this.#around.said.sessions.set(session.id, session)
  }

  async #send(): Promise<void> {
    const { random, said } = this.#around
    const { id } = await this.#anySession()
    const text = anyPrompt(random, said)
    const turn = await this.#bough.send(id, text)
    said.prompts.set(turn.prompt.id, { sessionID: id, mark: markIn(text) ?? '' })
    said.turns.set(turn.id, id)
    if (random() < 0.5) await turn.ended
  }

  async #fork(files: 'same' | 'worktree' | 'clean'): Promise<void> {
    const { random, said } = this.#around
    const { id } = await this.#anySession()
    const message = await this.#anyMessage(id)
    if (!message) return
    const fork = await this.#bough.fork(id, { messageID: message.id, files, before: random() < 0.2 })
    said.sessions.set(fork.id, fork)
  }

  async #approve(): Promise<void> {
    const { random } = this.#around
    const asked = await this.#bough.permissions()
    if (asked.length === 0) return
    const { id, offers } = anyOf(random, asked)
    await this.#bough.answer(id, { allow: random() < 0.7, scope: anyOf(random, offers).scope })
  }

  async #abort(): Promise<void> {
    const running = await this.#bough.sessions({ state: 'running' })
    if (running.length === 0) return
    await this.#bough.abort(anyOf(this.#around.random, running).id)
  }

  async #promote(): Promise<void> {
    const { id } = await this.#anySession()
    await this.#bough.promote(this.#player.channelID, id)
  }

  async #remind(): Promise<void> {
    const mode = this.#around.random() < 0.5 ? 'main' : 'background'
    // The server may be held for a while before it looks at the clock.
    const at = Date.now() + 20_000 + this.#around.random() * 20_000
    await this.#bough.addReminder(this.#player.channelID, { prompt: 'words 4', at, mode })
  }

  /** Cron goes by minutes: so it is mostly run beside its times. */
  async #routine(): Promise<void> {
    const { random } = this.#around
    const schedules = await this.#bough.schedules()
    if (schedules.length < 6) {
      await this.#bough.addRoutine(this.#player.channelID, { prompt: 'words 3', cron: '* * * * *' })
      return
    }
    const { id } = anyOf(random, schedules)
    if (random() < 0.5) await this.#bough.cancelSchedule(id)
    else await this.#bough.runSchedule(id)
  }

  /** Not what somebody talks in as main: they would be without it. */
  async #remove(): Promise<void> {
    const mains = new Set((await this.#bough.channels()).map(({ mainID }) => mainID))
    const sessions = await this.#bough.sessions({ limit: 100 })
    const spare = sessions.slice(10).filter(({ id, kind }) => kind === 'branch' && !mains.has(id))
    if (spare.length === 0) return
    const { id } = anyOf(this.#around.random, spare)
    this.#around.said.removed.add(id)
    await this.#bough.remove(id)
  }

  async #look(): Promise<void> {
    const [a, b] = [await this.#anySession(), await this.#anySession()]
    await this.#bough.tree(a.id)
    await this.#bough.diff(a.id, b.id, { files: true })
    await this.#bough.files(a.id)
    await Array.fromAsync(this.#bough.line(b.id))
  }

  async #anySession(): Promise<Session> {
    return anyOf(this.#around.random, await this.#bough.sessions({ limit: 40 }))
  }

  async #anyMessage(id: Session['id']): Promise<Message | null> {
    const messages = await this.#bough.messages(id, { limit: 30 })
    return messages.length > 0 ? anyOf(this.#around.random, messages) : null
  }
}
