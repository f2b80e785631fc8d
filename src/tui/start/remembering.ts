import { messageOf } from '../../tree/error.ts'
import type { App } from '../app.ts'
import type { Saved } from '../saved/saved.ts'
import { tabsNow } from './restore-tabs.ts'

/** Milliseconds after a key until what was typed is safe, whatever ends the program. */
const soon = 200

/** Keeps what is to be there again next time. What cannot be written is told once; all else goes on. */
export class Remembering {
  readonly #saved: Saved | undefined
  #tell: (text: string) => void = () => {}
  #app: App | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(saved: Saved | undefined) {
    this.#saved = saved
  }

  /** What was said before, oldest first. */
  get said(): readonly string[] {
    return this.#saved?.said ?? []
  }

  say(text: string): void {
    this.#try((saved) => saved.say(text))
  }

  /** Its tabs are all there: from now on one that is missing was closed. */
  begin(app: App): void {
    this.#app = app
    this.keepSoon()
  }

  /** Told of what goes wrong. */
  complainTo(tell: (text: string) => void): void {
    this.#tell = tell
  }

  /** In a moment: several wishes are one. */
  keepSoon(): void {
    this.#timer ??= setTimeout(() => this.keep(), soon).unref()
  }

  /** Now, without anybody waiting for it. */
  keep(): void {
    this.#stopTimer()
    const app = this.#app
    if (app && app.tabs.length > 0)
      this.#saved?.keepTabsSoon(tabsNow(app)).catch((error: unknown) => this.#complain(error))
  }

  /** At once, since the program ends. */
  end(): void {
    this.#stopTimer()
    const app = this.#app
    if (app && app.tabs.length > 0) this.#try((saved) => saved.keepTabs(tabsNow(app)))
  }

  #stopTimer(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  #try(write: (saved: Saved) => void): void {
    try {
      if (this.#saved) write(this.#saved)
    } catch (error) {
      this.#complain(error)
    }
  }

  #complain(error: unknown): void {
    this.#tell(`Tabs are not remembered: ${messageOf(error)}`)
    this.#tell = () => {}
  }
}
