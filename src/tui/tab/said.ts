import type { PersonsDoing } from '../../bough.ts'
import { messageOf } from '../../tree/error.ts'
import type { ChannelID } from '../../tree/ids.ts'
import type { Ui } from '../ui.ts'
import { whyFailed } from './place.ts'

/** Something that was said and waits for its place. */
export interface Waiting {
  readonly text: string
  /** It was typed, and can be typed again. */
  readonly isTyped: boolean
  withdraw(): void
}

export interface Saying {
  readonly channelID: ChannelID
  /** Something else goes on there: it will wait. */
  readonly isBusy: boolean
  began(): void
  /** Tells what only the one who said it is to know. */
  tell(words: string): void
  /** It was not said at all. */
  failed(): void
}

/** What the person has said or done in a tab, as long as it waits for its place. */
export class Said {
  readonly #ui: Ui
  #waiting: readonly Waiting[] = []
  #withdrawn: Waiting | null = null

  constructor(ui: Ui) {
    this.#ui = ui
  }

  get waiting(): readonly Waiting[] {
    return this.#waiting
  }

  /** Withdraws the last that was typed, one at a time; it fails then, unless its turn has come. False where none waits. */
  takeBack(): boolean {
    if (this.#withdrawn) return true
    this.#withdrawn = this.#waiting.findLast(({ isTyped }) => isTyped) ?? null
    this.#withdrawn?.withdraw()
    return this.#withdrawn !== null
  }

  /** Does something in the channel; it waits its place, and what goes wrong is told. */
  say(what: PersonsDoing, { channelID, isBusy, began, tell, failed }: Saying): void {
    const giveUp = new AbortController()
    const isTyped = what.kind === 'message' || what.kind === 'fork'
    const waiting: Waiting = { text: wordsOf(what), isTyped, withdraw: () => giveUp.abort() }
    if (isBusy) this.#waiting = [...this.#waiting, waiting]
    const waitsNoMore = () => {
      this.#waiting = this.#waiting.filter((each) => each !== waiting)
      if (this.#withdrawn === waiting) this.#withdrawn = null
      this.#ui.redraw()
    }
    let hasBegun = false
    this.#ui.bough
      .say(channelID, what, {
        signal: giveUp.signal,
        began: () => {
          hasBegun = true
          began()
          waitsNoMore()
        },
        tell,
      })
      .catch(async (error: unknown) => {
        if (!hasBegun) failed()
        if (giveUp.signal.aborted) return
        const why = await whyFailed(this.#ui.bough, channelID, error)
        this.#ui.tell(messageOf(why), 'bad')
      })
      .finally(waitsNoMore)
    this.#ui.redraw()
  }
}

function wordsOf(what: PersonsDoing): string {
  switch (what.kind) {
    case 'message':
      return what.text
    case 'fork':
      return `/fork ${what.topic ?? ''}`
    case 'exit':
      return `/${what.action === 'discard' ? 'exit' : what.action}`
    case 'click':
      return 'a click'
  }
}
