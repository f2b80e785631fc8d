import type { PermissionRequest } from '../agents/driver.ts'

/**
 * Which files a turn can have changed. That is known only as long as every tool that ran said what it was about to do and
 * none of them did more than read or write a file: a command may change anything.
 */
export class TouchedFiles {
  readonly #paths = new Set<string>()
  #calls = 0
  #asked = 0
  #isKnown = true

  /** A tool is called. */
  called(): void {
    this.#calls++
  }

  /** A tool says what it is about to do. */
  asked({ action, path }: PermissionRequest): void {
    this.#asked++
    if ((action !== 'read' && action !== 'write') || path === undefined) this.#isKnown = false
    else if (action === 'write') this.#paths.add(path)
  }

  /** Null when it can have been any. */
  get paths(): readonly string[] | null {
    return this.#isKnown && this.#calls <= this.#asked ? [...this.#paths] : null
  }
}
