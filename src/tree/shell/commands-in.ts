import { isLauncher } from './launchers.ts'
import { keywords } from './simple-command.ts'
import { isAssignment } from './words.ts'

export interface Command {
  readonly words: readonly string[]
  /** A launcher such as `sudo` or `xargs`: a command may begin at any of its words. */
  readonly isLauncher: boolean
}

/** Commands inside commands are looked for this deep. */
const deepest = 8

/**
 * Every command that a line names: each part of a chain, what stands in substitutions, and what launchers are given.
 * Rather one too many than one too few: it serves the rules that deny.
 */
export const commandsIn = (line: string): readonly Command[] => new Scan(line, 0).commands

class Scan {
  readonly commands: Command[] = []
  readonly #line: string
  readonly #depth: number
  #at = 0
  #words: string[] = []
  #word: string | null = null
  /** The next word names the file of a redirection. */
  #isTarget = false

  constructor(line: string, depth: number) {
    this.#line = line.replace(/\\\r?\n/g, '')
    this.#depth = depth
    while (this.#at < this.#line.length) this.#step(this.#take())
    this.#endCommand()
    // A quote in a here-document opens nothing.
    if (this.#line.includes('\n') && this.#line.includes('<<'))
      for (const each of this.#line.split('\n')) this.#inside(each)
  }

  #step(character: string): void {
    if (character === '\\') this.#escaped(this.#take())
    else if (character === "'") this.#add(this.#quoted(/[^']*/y))
    else if (character === '"') this.#doubleQuoted()
    else if (character === ' ' || character === '\t') this.#endWord()
    else if (character === '<' || character === '>') this.#redirection()
    else if (/[;&|()`\n\r]/.test(character)) this.#endCommand()
    else if (character === '#' && this.#word === null) this.#comment()
    else if (character === '$') this.#dollar()
    else this.#add(character)
  }

  #take(): string {
    return this.#line.charAt(this.#at++)
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text
  }

  // Escaped backticks are a substitution inside another.
  #escaped(character: string): void {
    if (character === '`') this.#endCommand()
    else this.#add(character)
  }

  // `$'…'` knows backslashes; `$"…"` is a quote like any.
  #dollar(): void {
    const next = this.#line.charAt(this.#at)
    if (next === "'") {
      this.#at += 1
      this.#add(this.#quoted(/(?:[^'\\]|\\.)*/sy))
    } else if (next !== '"') this.#add('$')
  }

  // Some shells know no comments on a command line, so what stands in one counts; its quotes end with it.
  #comment(): void {
    const end = this.#line.indexOf('\n', this.#at)
    const text = this.#line.slice(this.#at, end === -1 ? undefined : end)
    this.#at += text.length
    this.#inside(text)
  }

  /** The text of a quote, which ends with the line if it is left open. */
  #quoted(text: RegExp): string {
    text.lastIndex = this.#at
    const [found = ''] = text.exec(this.#line) ?? []
    this.#at += found.length + 1
    return found
  }

  #doubleQuoted(): void {
    const text = this.#quoted(/(?:[^"\\]|\\.)*/sy)
    const [, ...substituted] = text.split(/\$\(|`/)
    for (const part of substituted) this.#inside(part)
    this.#add(text.replace(/\\([\\"$`])/g, '$1'))
  }

  #redirection(): void {
    // The number of the file that is redirected.
    if (this.#word !== null && /^\d+$/.test(this.#word)) this.#word = null
    this.#endWord()
    while (/[<>&|-]/.test(this.#line.charAt(this.#at))) this.#at += 1
    this.#isTarget = true
  }

  #endWord(): void {
    if (this.#word === null) return
    if (!this.#isTarget) this.#words.push(this.#word)
    this.#isTarget = false
    this.#word = null
  }

  #endCommand(): void {
    this.#endWord()
    const from = this.#words.findIndex((word) => !isAssignment(word) && !keywords.has(word))
    const words = from === -1 ? [] : this.#words.slice(from)
    this.#words = []
    this.#isTarget = false
    const [program] = words
    if (program === undefined) return
    const launches = isLauncher(program)
    this.commands.push({ words, isLauncher: launches })
    if (launches) for (const word of words) this.#argument(word)
  }

  // `sh -c 'rm x'`, `env -S'rm x'`, `env --split-string='rm x'`.
  #argument(word: string): void {
    if (!/[\s;&|()`<>$]/.test(word)) return
    this.#inside(word)
    const value = word.replace(/^-[A-Za-z]|^--[\w-]+=/, '')
    if (value !== word) this.#inside(value)
  }

  #inside(text: string): void {
    if (this.#depth < deepest) this.commands.push(...new Scan(text, this.#depth + 1).commands)
  }
}
