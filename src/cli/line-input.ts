import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline'

export interface AskOptions {
  readonly signal?: AbortSignal
  /** Ctrl-C while the line is typed. */
  readonly onInterrupt?: () => void
  /** The person has begun to type. */
  readonly onTyping?: (firstKey: string) => void
}

interface Waiter {
  readonly take: (line: string | null) => void
  readonly onInterrupt: (() => void) | undefined
  onTyping: ((firstKey: string) => void) | undefined
}

/** Ask the terminal to say where a paste begins and ends. */
const pasteMarks = { on: '\u001b[?2004h', off: '\u001b[?2004l' }

/**
 * Lines that somebody types, or that come from a pipe.
 *
 * On a terminal, keys are read one by one only while a line is asked for. In between the terminal is as every
 * program has it: Ctrl-C is a signal, and what is typed ahead waits for the next question.
 */
export class LineInput {
  readonly #stdin: NodeJS.ReadStream
  readonly #readline: Interface
  readonly #ahead: string[] = []
  readonly #output: NodeJS.WriteStream
  #pasting = false
  #pasted: string[] = []
  #waiter: Waiter | null = null
  #ended = false

  static open(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream): LineInput {
    return new LineInput(stdin, stdout)
  }

  private constructor(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream) {
    const terminal = stdin.isTTY === true
    this.#stdin = stdin
    this.#output = stdout
    this.#readline = createInterface({ input: stdin, terminal, ...(terminal && { output: stdout }) })
    this.#readline.on('line', (line) => this.#receive(line))
    stdin.on('keypress', this.#noteKey)
    this.#readline.on('SIGINT', () => this.#waiter?.onInterrupt?.())
    this.#readline.on('close', () => {
      this.#ended = true
      this.#waiter?.take(null)
    })
    this.#rest()
  }

  /** The next line, also one that came before it was asked for; null at the end of input. */
  async next(prompt: string, options: AskOptions = {}): Promise<string | null> {
    return this.#ahead.shift() ?? this.ask(prompt, options)
  }

  /** A line that was typed as the answer to this question; null at the end of input or when the signal aborts. */
  async ask(prompt: string, { signal, onInterrupt, onTyping }: AskOptions = {}): Promise<string | null> {
    if (this.#ended || signal?.aborted) return null
    return new Promise((resolve) => {
      const withdraw = () => this.#withdraw()
      const take = (line: string | null) => {
        signal?.removeEventListener('abort', withdraw)
        this.#waiter = null
        this.#rest()
        resolve(line)
      }
      this.#waiter = { take, onInterrupt, onTyping }
      signal?.addEventListener('abort', withdraw)
      if (this.#isTerminal) {
        this.#stdin.setRawMode(true)
        this.#output.write(pasteMarks.on)
      }
      this.#readline.setPrompt(this.#isTerminal ? prompt : '')
      this.#readline.prompt()
    })
  }

  /** Shows the question again, on a new line and with nothing typed yet. */
  again(): void {
    this.#forget()
    this.#readline.prompt()
  }

  /** Somebody is asked for a line on a terminal: it stands there, perhaps half typed. */
  get isTyped(): boolean {
    return this.#isTerminal && this.#waiter !== null
  }

  /** Writes whole lines above the question and what is typed of its answer, which stay as they are. */
  above(write: () => void): void {
    if (!this.isTyped) {
      write()
      return
    }
    moveCursor(this.#output, 0, -this.#readline.getCursorPos().rows)
    cursorTo(this.#output, 0)
    clearScreenDown(this.#output)
    write()
    this.#drawAnew()
  }

  /** Asks with other words; what is typed stays. */
  renew(prompt: string): void {
    if (!this.isTyped) return
    this.above(() => this.#readline.setPrompt(prompt))
  }

  close(): void {
    this.#stdin.off('keypress', this.#noteKey)
    this.#readline.close()
  }

  get #isTerminal(): boolean {
    return this.#readline.terminal
  }

  // readline goes up so many rows before it draws, as the cursor was below the first one: here it is at the first.
  #drawAnew(): void {
    Reflect.set(this.#readline, 'prevRows', 0)
    this.#readline.prompt(true)
  }

  // The lines of a paste belong together: they wait for the Enter that the person types themselves.
  #receive(line: string): void {
    this.#pasted.push(line)
    if (this.#pasting) return
    const text = this.#pasted.join('\n')
    this.#pasted = []
    if (this.#waiter) this.#waiter.take(text)
    else this.#ahead.push(text)
  }

  readonly #noteKey = (_: unknown, key: { name?: string } | undefined): void => {
    if (key?.name === 'paste-start') this.#pasting = true
    if (key?.name === 'paste-end') this.#pasting = false
    if (this.#readline.line !== '') this.#tellTyping(this.#readline.line)
  }

  // Once a line.
  #tellTyping(firstKey: string): void {
    const waiter = this.#waiter
    waiter?.onTyping?.(firstKey)
    if (waiter) waiter.onTyping = undefined
  }

  #withdraw(): void {
    this.#forget()
    this.#waiter?.take(null)
  }

  #forget(): void {
    this.#pasted = []
    this.#readline.write(null, { ctrl: true, name: 'u' })
  }

  #rest(): void {
    if (!this.#isTerminal || this.#ended) return
    this.#readline.pause()
    this.#stdin.setRawMode(false)
    this.#output.write(pasteMarks.off)
  }
}
