import { styleText } from 'node:util'
import type { Paint } from '../tree/drawn/paint.ts'

/** stdout or stderr. A reader that went away (`bough log | head`) is no error: what it would have read is dropped. */
export class Output {
  readonly stream: NodeJS.WriteStream
  #closed = false
  #failure: Error | null = null

  constructor(stream: NodeJS.WriteStream) {
    this.stream = stream
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#closed = true
      if (error.code !== 'EPIPE') this.#failure ??= error
    })
  }

  /** Nothing that is written gets anywhere any more. */
  get closed(): boolean {
    return this.#closed
  }

  /** Tells that the reader went away, or that the disk is full. */
  onClosed(listener: () => void): void {
    if (this.#closed) listener()
    else this.stream.once('error', listener)
  }

  get isTerminal(): boolean {
    return this.stream.isTTY === true
  }

  /** How wide the terminal is; null where lines need not fit anything. */
  get columns(): number | null {
    return this.isTerminal ? this.stream.columns || 80 : null
  }

  write(text: string | Uint8Array): void {
    if (!this.#closed && text.length > 0) this.stream.write(text)
  }

  line(text = ''): void {
    this.write(`${text}\n`)
  }

  /** Waits until a slow reader has caught up, so that a long output does not pile up in memory. */
  async drained(): Promise<void> {
    if (this.#closed || !this.stream.writableNeedDrain) return
    await new Promise<void>((resolve) => {
      const done = () => {
        this.stream.off('drain', done).off('error', done)
        resolve()
      }
      this.stream.on('drain', done).on('error', done)
    })
  }

  /** Waits until everything is written; what kept it from being written, a full disk for example. */
  async settled(): Promise<Error | null> {
    if (!this.#closed) await new Promise<void>((resolve) => this.stream.write('', () => resolve()))
    return this.#failure
  }

  /** Honours NO_COLOR and FORCE_COLOR, else colours terminals only. */
  readonly paint: Paint = (style, text) => styleText(style, text, { stream: this.stream })
}
