const limit = 50_000

/** Text of any length, of which only the beginning and the end are kept. */
export class BoundedText {
  #head = ''
  #tail = ''
  #length = 0

  add(text: string): void {
    this.#length += text.length
    const room = limit - this.#head.length
    // A head that is full by one stays so: the text after a pair that did not fit must not join it.
    const fits = this.#tail === '' ? cutEnd(text, room) : ''
    this.#head += fits
    if (fits.length < text.length) this.#tail = cutStart(this.#tail + text.slice(fits.length), limit)
  }

  toString(): string {
    const leftOut = this.#length - this.#head.length - this.#tail.length
    if (leftOut === 0) return this.#head + this.#tail
    return `${this.#head}\n[… ${leftOut} characters left out …]\n${this.#tail}`
  }
}

// Both cuts leave surrogate pairs whole, so that no half of a character is kept.
function cutEnd(text: string, length: number): string {
  if (text.length <= length) return text
  return text.slice(0, isHighSurrogate(text, length - 1) ? length - 1 : length)
}

function cutStart(text: string, length: number): string {
  if (text.length <= length) return text
  const start = text.length - length
  return text.slice(isHighSurrogate(text, start - 1) ? start + 1 : start)
}

function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index)
  return unit >= 0xd800 && unit <= 0xdbff
}
