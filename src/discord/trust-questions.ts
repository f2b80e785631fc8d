import type { Bough } from '../bough.ts'
import { type DirectoryTrust, partLine, unapproved, waitingFor } from '../tree/directory-trust.ts'
import type { ChannelID } from '../tree/ids.ts'
import { visibleText } from '../tree/plain-text.ts'
import { nonceOf } from './nonce.ts'
import type { Click, Content, Port, Recent } from './port.ts'
import { type ButtonDeed, buttonID, deedOf } from './views/button-id.ts'
import { codeBlock } from './views/code-block.ts'
import { piecesOf } from './views/question-parts.ts'

/** What is longer is looked through in a terminal. */
const mostMessages = 10
const amber = 0xf1c40f

/** Whether the owner trusts the directory that main works in: asked once, all of it shown, and nothing waits for the answer. */
export class TrustQuestions {
  readonly #bough: Bough
  readonly #port: Port
  readonly #channelID: ChannelID
  readonly #closing: AbortSignal

  constructor(bough: Bough, port: Port, channelID: ChannelID, closing: AbortSignal) {
    this.#bough = bough
    this.#port = port
    this.#channelID = channelID
    this.#closing = closing
  }

  /** Asks, unless the same was asked in one of the recent messages. */
  async ask(recent: readonly Recent[]): Promise<void> {
    const { agent, trust } = await this.#now()
    if (waitingFor(trust, agent).length === 0) return
    const seen = await signOf(trust)
    const isAsked = ({ buttons }: Recent) => buttons.map(deedOf).some((deed) => isAbout(deed, seen))
    if (recent.some(isAsked)) return
    for (const [i, content] of messagesFor(trust, seen).entries())
      await this.#port.insist(() => this.#port.send(content, nonceOf(seen, i)), this.#closing)
  }

  /** What the owner has seen is trusted, and nothing that has come since. */
  async answer({ allow, seen }: Extract<ButtonDeed, { kind: 'trust' }>, click: Click): Promise<void> {
    const { directory, trust } = await this.#now()
    if (allow && (await signOf(trust)) !== seen) {
      await this.ask([])
      return click.tell('That has changed since, or was answered already.')
    }
    const ids = unapproved(trust).map(({ id }) => id)
    if (allow) await this.#bough.grantTrust(directory, ids)
    const title = allow
      ? 'Trusted. It loads with the next message.'
      : 'Not trusted. To trust it later: bough trust'
    const over: Content = {
      card: { title, body: codeBlock(visibleText(trust.root)), colour: amber },
      buttons: [],
    }
    await this.#port.insist(() => this.#port.edit(click.messageID, over), this.#closing)
  }

  async #now() {
    const { mainID } = await this.#bough.channel(this.#channelID)
    const { agent, directory } = await this.#bough.session(mainID)
    return { agent, directory, trust: await this.#bough.trust(directory) }
  }
}

const isAbout = (deed: ButtonDeed | null, seen: string): boolean =>
  deed?.kind === 'trust' && deed.seen === seen

/** The last message has the buttons: nothing can be trusted before all of it was shown. */
function messagesFor(trust: DirectoryTrust, seen: string): readonly Content[] {
  const lines = unapproved(trust).map((part) => visibleText(partLine(part)))
  const pieces = piecesOf(lines.join('\n'))
  const isTooLong = pieces.length > mostMessages
  const shown = isTooLong ? pieces.slice(0, 1) : pieces
  const where = `Too long for Discord. In a terminal: bough trust ${visibleText(trust.root)}`
  const head =
    trust.state === 'changed'
      ? `New in ${visibleText(trust.root)}, which you trust. Approve it?`
      : `Trust ${visibleText(trust.root)}? Until then, agents load and run none of this:`
  const before = shown.slice(0, -1).map((piece) => ({ text: codeBlock(piece) }))
  const button = (allow: boolean, label: string) => ({
    id: buttonID({ kind: 'trust', allow, seen }),
    label,
    look: allow ? ('good' as const) : ('plain' as const),
  })
  const last: Content = {
    card: {
      title: trust.state === 'changed' ? 'New agent settings' : 'Trust this directory?',
      body: [head, codeBlock(shown.at(-1) ?? ''), ...(isTooLong ? [where] : [])].join('\n'),
      colour: amber,
    },
    buttons: [...(isTooLong ? [] : [button(true, 'Trust it')]), button(false, 'Not now')],
  }
  return [...before, last]
}

/** Of exactly these parts of this directory. */
async function signOf(trust: DirectoryTrust): Promise<string> {
  const text = JSON.stringify([trust.root, ...unapproved(trust).map(({ id }) => id)])
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Buffer.from(hash).toString('hex').slice(0, 32)
}
