import type { App } from '../app.ts'
import type { Saved } from '../saved/saved.ts'
import { tabsNow } from './restore-tabs.ts'

/** Keeps what is to be there again next time. What cannot be written is told once; all else goes on. */
export class Remembering {
  readonly #saved: Saved | undefined
  #tell: (text: string) => void = () => {}
  #app: App | null = null

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
  }

  /** Told of what goes wrong. */
  complainTo(tell: (text: string) => void): void {
    this.#tell = tell
  }

  keep(): void {
    const app = this.#app
    if (app && app.tabs.length > 0) this.#try((saved) => saved.keepTabs(tabsNow(app)))
  }

  #try(write: (saved: Saved) => void): void {
    try {
      if (this.#saved) write(this.#saved)
    } catch (error) {
      this.#tell(`Tabs are not remembered: ${error instanceof Error ? error.message : error}`)
      this.#tell = () => {}
    }
  }
}
