import { fence } from '../views/code-block.ts'
import { type Fence, fenceAfter, lineForDiscord } from './code-fence.ts'

/** The most characters that a message may have. Counted as JavaScript does, which is never less than Discord counts. */
export const longestMessage = 2000

/**
 * A text as messages that Discord takes, in their order: cut at line ends where that is possible, with code blocks closed where a
 * message ends and opened again in the next, and with the one fence that Discord knows. While a text grows, only the last
 * messages change.
 */
export function split(text: string, limit = longestMessage): readonly string[] {
  const pieces = new Pieces(limit)
  for (const line of text.split('\n')) pieces.add(line)
  return pieces.all()
}

class Pieces {
  readonly #limit: number
  readonly #done: string[] = []
  #lines: string[] = []
  #length = 0
  #open: Fence | null = null

  constructor(limit: number) {
    this.#limit = limit
  }

  add(said: string): void {
    const after = fenceAfter(said, this.#open)
    const line = lineForDiscord(said, this.#open, after)
    if (this.#lines.length > 0 && !this.#fits(line, after)) this.#close()
    // A block of which only the end is left was closed with the message before.
    if (this.#lines.length === 0 && this.#open && !after) {
      this.#open = null
      return
    }
    let rest = line
    this.#reopen()
    while (!this.#fits(rest, after)) {
      const cut = cutAt(rest, this.#room(after))
      this.#put(rest.slice(0, cut))
      rest = rest.slice(cut)
      this.#close()
      this.#reopen()
    }
    this.#put(rest)
    this.#open = after
  }

  all(): readonly string[] {
    this.#close()
    return this.#done
  }

  #put(line: string): void {
    this.#lines.push(line)
    this.#length += line.length + 1
  }

  #reopen(): void {
    if (this.#open && this.#lines.length === 0) this.#put(this.#open.line)
  }

  #close(): void {
    if (this.#lines.length > 0 && this.#open) this.#lines.push(fence)
    const piece = this.#lines.join('\n')
    if (saysSomething(piece)) this.#done.push(piece)
    this.#lines = []
    this.#length = 0
  }

  /** What a line may take when the block that is open after it has to be closed in the same message. */
  #room(after: Fence | null): number {
    return this.#limit - this.#length - (after || this.#open ? fence.length + 1 : 0)
  }

  #fits(line: string, after: Fence | null): boolean {
    return line.length <= this.#room(after)
  }
}

/** Where a line that is too long is cut: after a space in its second half, else anywhere but inside a character. */
function cutAt(line: string, most: number): number {
  const space = line.lastIndexOf(' ', most - 1)
  if (space > most / 2) return space + 1
  const code = line.charCodeAt(most - 1)
  return code >= 0xd800 && code <= 0xdbff ? most - 1 : most
}

/** White space, and what has no width, is nothing to Discord. */
export const saysSomething = (text: string): boolean => /[^\s\u200b-\u200f\u2060\ufeff]/u.test(text)
