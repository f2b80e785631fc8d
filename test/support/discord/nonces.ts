/** Which message was sent with which nonce, for the few minutes that Discord remembers it. */
export class Nonces {
  readonly #sent = new Map<string, { readonly messageID: string; readonly at: number }>()
  readonly #now: () => number
  readonly #lastMs: number

  constructor(now: () => number, lastMs: number) {
    this.#now = now
    this.#lastMs = lastMs
  }

  messageOf(authorID: string, nonce: string | number): string | undefined {
    const found = this.#sent.get(`${authorID} ${nonce}`)
    return found && this.#now() - found.at < this.#lastMs ? found.messageID : undefined
  }

  /** What a message was sent with, however long ago; unless something else was sent with it since. */
  usedFor(messageID: string): string | undefined {
    const [key] = [...this.#sent].find(([, sent]) => sent.messageID === messageID) ?? []
    return key?.slice(key.indexOf(' ') + 1)
  }

  remember(authorID: string, nonce: string | number, messageID: string): void {
    this.#sent.set(`${authorID} ${nonce}`, { messageID, at: this.#now() })
  }
}
