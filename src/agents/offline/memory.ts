import type { Message, Part } from '../../tree/message.ts'
import { countWords } from './words.ts'

/** What the agent knows: its line as it was when the connection opened, and every turn since then. */
export class Memory {
  readonly #told: string[]
  #words: number

  private constructor(told: string[], words: number) {
    this.#told = told
    this.#words = words
  }

  static ofLine(line: readonly Message[]): Memory {
    const told = line.filter(({ role }) => role === 'user').map(({ text }) => text)
    const words = line.flatMap((message) => message.parts).map((part) => countWords(givenBy(part)))
    return new Memory(
      told,
      words.reduce((sum, count) => sum + count, 0),
    )
  }

  /** A new prompt begins a new turn. */
  hear(prompt: string): void {
    this.#told.push(prompt)
    this.keep(prompt)
  }

  /** Something said or learnt in this turn. */
  keep(text: string): void {
    this.#words += countWords(text)
  }

  /** The number of this turn on its line, counted from 1. */
  get turn(): number {
    return this.#told.length
  }

  /** What it was told before this turn, oldest first. */
  get toldBefore(): readonly string[] {
    return this.#told.slice(0, -1).filter((text) => text !== '')
  }

  get words(): number {
    return this.#words
  }
}

function givenBy(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'context':
      return part.text
    case 'tool-result':
      return part.output
    case 'tool-call':
    case 'reasoning':
    case 'notice':
      return ''
  }
}
