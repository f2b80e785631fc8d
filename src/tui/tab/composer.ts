import { type AutocompleteProvider, type KeyId, matchesKey, type TUI } from '@earendil-works/pi-tui'
import { plainText } from '../../tree/plain-text.ts'
import { cut } from '../screen/frame.ts'
import type { Theme } from '../screen/theme.ts'
import { BoundedEditor } from './bounded-editor.ts'

export interface ComposerOptions {
  readonly host: TUI
  theme(): Theme
  submit(text: string): void
  /** Somebody begins to type. */
  begun(): void
  /** Something was said, or given up: `↑` brings it back. */
  said?(text: string): void
  /** `↑` where nothing is typed: true where something that was said comes back by that. */
  takeBack?(): boolean
}

/** These go to the list of completions while it is open. */
const listKeys: readonly KeyId[] = ['escape', 'enter', 'tab', 'up', 'down']

/** Where the person types: several lines, with a history, and pastes of any length. */
export class Composer {
  readonly #editor: BoundedEditor
  readonly #options: ComposerOptions

  constructor(options: ComposerOptions) {
    const paint = (tone: Parameters<Theme['paint']>[0]) => (text: string) => options.theme().paint(tone, text)
    this.#options = options
    this.#editor = new BoundedEditor(options.host, {
      borderColor: paint('dim'),
      selectList: {
        selectedPrefix: paint('accent'),
        selectedText: paint('accent'),
        description: paint('dim'),
        scrollInfo: paint('dim'),
        noMatch: paint('dim'),
      },
    })
    this.#editor.focused = true
    this.#editor.onSubmit = (text) => {
      if (text.trim() === '') return
      this.remember(text)
      options.submit(text)
    }
  }

  get text(): string {
    return this.#editor.getExpandedText()
  }

  set text(text: string) {
    this.#editor.setText(plainText(text))
  }

  get isEmpty(): boolean {
    return this.#editor.getText() === ''
  }

  /** A list of completions is open. */
  get isCompleting(): boolean {
    return this.#editor.isShowingAutocomplete()
  }

  /** Whether a key is for the list of completions, whatever else it would do. */
  takes(data: string): boolean {
    return this.isCompleting && listKeys.some((key) => matchesKey(data, key))
  }

  /** Closes the list of completions. */
  stopCompleting(): void {
    if (this.isCompleting) this.#editor.handleInput('\u001b')
  }

  complete(provider: AutocompleteProvider): void {
    this.#editor.setAutocompleteProvider(provider)
  }

  /** Something that was said, here or elsewhere: `↑` brings the latest first. */
  recall(text: string): void {
    this.#editor.addToHistory(plainText(text))
  }

  remember(text: string): void {
    this.recall(text)
    this.#options.said?.(text)
  }

  /** Empties it; what stood there can be brought back. */
  clear(): void {
    if (!this.isEmpty) this.remember(this.text)
    this.#editor.setText('')
  }

  type(data: string): void {
    const wasEmpty = this.isEmpty
    if (wasEmpty && matchesKey(data, 'up') && this.#options.takeBack?.()) return
    this.#editor.handleInput(data)
    if (wasEmpty && !this.isEmpty) this.#options.begun()
  }

  /** Keys go here, or elsewhere for now. */
  set isFocused(isFocused: boolean) {
    this.#editor.focused = isFocused
  }

  /** At most a third of so many rows high, but for the list of completions below it. */
  draw(columns: number, rows = Number.POSITIVE_INFINITY): readonly string[] {
    const lines = this.#editor.drawn(columns, Math.max(1, Math.floor(rows / 3) - 2))
    if (!this.#editor.focused) return lines.map(withoutCursor)
    const { paint } = this.#options.theme()
    return this.isEmpty
      ? lines.with(1, cut(`${(lines[1] ?? '').trimEnd()} ${paint('dim', hint)}`, columns))
      : lines
  }
}

/** Said where nothing is typed yet. */
const hint = 'Type to talk · / for commands · @ for files'

// The library draws its cursor as a reversed cell, wherever the keys go.
const withoutCursor = (line: string): string => line.replaceAll('\u001b[7m', '')
