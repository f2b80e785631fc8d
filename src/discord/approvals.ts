import type { Bough } from '../bough.ts'
import { hasCode, messageOf } from '../tree/error.ts'
import type { PermissionID } from '../tree/ids.ts'
import type { Permission } from '../tree/permission.ts'
import { nonceOf } from './nonce.ts'
import type { Click, Content, Port, Recent } from './port.ts'
import {
  answeredLongAgo,
  approvalOf,
  isOffered,
  outcomeOf,
  overWords,
  scopeOf,
} from './views/approval-view.ts'
import { type Answer, deedOf } from './views/button-id.ts'
import { questionParts } from './views/question-parts.ts'

const notHere = 'That cannot be answered so here. "bough approve" in a terminal shows all of the question.'
const overTold = 'That was answered already, or nobody did in time.'

interface Asked {
  readonly permission: Permission
  /** Its message's id. */
  readonly message: Promise<string>
}

/** What agents ask, as messages with buttons. Whoever answers first, here or elsewhere, has answered. */
export class Approvals {
  readonly #bough: Bough
  readonly #port: Port
  readonly #closing: AbortSignal
  readonly #log: (words: string) => void
  readonly #asked = new Map<PermissionID, Asked>()
  /** Messages from before a restart: parts of a question among them. */
  #before: ReadonlySet<string> = new Set()

  constructor(bough: Bough, port: Port, closing: AbortSignal, log: (words: string) => void) {
    this.#bough = bough
    this.#port = port
    this.#closing = closing
    this.#log = log
  }

  /** Finds those that were asked before a restart, and closes those that are over. */
  async restore(recent: readonly Recent[]): Promise<void> {
    this.#before = new Set(recent.map(({ text }) => text.trim()))
    const open = new Map((await this.#bough.permissions()).map((permission) => [permission.id, permission]))
    for (const { id, buttons } of recent) {
      const deed = buttons.map(deedOf).find((each) => each?.kind === 'answer')
      if (deed?.kind !== 'answer') continue
      const permission = open.get(deed.permissionID)
      if (permission) this.#asked.set(permission.id, { permission, message: Promise.resolve(id) })
      else this.#close(id, answeredLongAgo)
    }
  }

  /** Asks, unless that was done; what Discord refuses is logged. The signal says that it is over, where nobody else would tell. */
  async ask(permission: Permission, over?: AbortSignal): Promise<void> {
    const { id } = permission
    const settle = () => void (this.#closing.aborted || this.settled(id).catch(() => {}))
    over?.addEventListener('abort', settle, { once: true })
    if (this.#asked.has(id)) return
    const message = this.#post(permission)
    this.#asked.set(id, { permission, message })
    await message.catch((error) => {
      this.#asked.delete(id)
      if (!this.#closing.aborted)
        this.#log(
          `A question of the agent could not be asked (${messageOf(error)}). "bough approve" answers it.`,
        )
    })
  }

  async answer(id: PermissionID, answer: Answer, click: Click): Promise<void> {
    const asked = this.#asked.get(id)
    // Only what was asked here is answered here, and on the message that asks it.
    if (!asked || (await asked.message) !== click.messageID) return click.tell(overTold)
    if (!isOffered(asked.permission, answer)) return click.tell(notHere)
    // Ours to close from now on, not that of whoever hears that it was answered.
    this.#asked.delete(id)
    try {
      const scope = scopeOf(answer)
      const permission = await this.#bough.answer(id, { allow: scope !== null, scope: scope ?? 'call' })
      this.#close(click.messageID, approvalOf(permission, outcomeOf(permission)))
    } catch (error) {
      if (!hasCode(error, 'permission_answered') && !hasCode(error, 'not_found')) {
        // It is still open, and its buttons can be clicked again.
        this.#asked.set(id, asked)
        throw error
      }
      this.#close(click.messageID, approvalOf(asked.permission, overWords))
      await click.tell(overTold)
    }
  }

  /** Somebody has answered it, or it is no longer asked. */
  async settled(id: PermissionID): Promise<void> {
    const asked = this.#asked.get(id)
    if (!asked) return
    this.#asked.delete(id)
    this.#close(await asked.message, approvalOf(asked.permission, overWords))
  }

  // In all its parts: the last one has the buttons.
  async #post(permission: Permission): Promise<string> {
    const send = (content: Content, nonce: string) =>
      this.#port.insist(() => this.#port.send(content, nonce), this.#closing)
    for (const [i, text] of questionParts(permission).before.entries())
      if (!this.#before.has(text.trim())) await send({ text }, nonceOf(permission.id, i + 1))
    return send(approvalOf(permission), nonceOf(permission.id))
  }

  // Nobody waits for it; what is not closed by the end is closed when the bot comes back.
  #close(messageID: string, over: Content): void {
    void this.#port.insist(() => this.#port.edit(messageID, over), this.#closing).catch(() => {})
  }
}
