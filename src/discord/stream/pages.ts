import { nonceOf } from '../nonce.ts'
import type { Content, Port } from '../port.ts'

export interface PagesOptions {
  readonly port: Pick<Port, 'edit' | 'remove'>
  /** What they show: the same when somebody else goes on with it. */
  readonly id: string
  /** Messages that show it already. */
  readonly shown?: readonly string[]
  /** Somebody else goes on with it. */
  readonly givenUp?: AbortSignal
  /** Posts a message, and notes what it shows; resolves with its id. */
  post(content: Content, nonce: string): Promise<string>
}

/** A text that grows, in as many messages as it takes. */
export class Pages {
  readonly #options: PagesOptions
  readonly #pages: Page[]

  constructor(options: PagesOptions) {
    this.#options = options
    this.#pages = (options.shown ?? []).map((externalID) => ({ externalID, text: null }))
  }

  /** Makes the messages say this, one after the other; false when they did already. */
  async show(texts: readonly string[]): Promise<boolean> {
    let isChanged = false
    for (const [i, text] of texts.entries()) {
      const page = this.#pages[i]
      if (page?.text === text) continue
      isChanged = true
      this.#options.givenUp?.throwIfAborted()
      if (page) await this.#turn(page, text)
      else await this.#add(i, text)
    }
    // The last first: what is still there when Discord fails in between is what is still on the screen.
    for (const page of this.#pages.slice(texts.length).reverse()) {
      isChanged = true
      await this.#options.port.remove(page.externalID)
      this.#pages.pop()
    }
    return isChanged
  }

  get first(): string | null {
    return this.#pages[0]?.externalID ?? null
  }

  async #turn(page: Page, text: string): Promise<void> {
    await this.#options.port.edit(page.externalID, { text })
    page.text = text
  }

  async #add(i: number, text: string): Promise<void> {
    const { id, post } = this.#options
    const externalID = await post({ text }, nonceOf(id, i))
    this.#pages.push({ externalID, text })
  }
}

interface Page {
  readonly externalID: string
  /** What it says; null where that is not known. */
  text: string | null
}
