import type { PermissionRequest } from '../agents/driver.ts'

/**
 * Which files a turn can have changed. That is known only as long as every call of a tool said what it was about to do and
 * none of them did more than read or write a file: a command may change anything.
 */
export class TouchedFiles {
  readonly #paths = new Set<string>()
  readonly #called = new Set<string>()
  readonly #asked = new Set<string>()
  #isKnown = true

  /** A tool is called. */
  called(callID: string): void {
    this.#called.add(callID)
  }

  /** A call says what it is about to do, or a part of that. */
  asked({ callID, action, path }: PermissionRequest): void {
    if (callID !== undefined) this.#asked.add(callID)
    if ((action !== 'read' && action !== 'write') || path === undefined) this.#isKnown = false
    else if (action === 'write') this.#paths.add(path)
  }

  /** Null when it can have been any. */
  get paths(): readonly string[] | null {
    return this.#isKnown && this.#called.isSubsetOf(this.#asked) ? [...this.#paths] : null
  }
}
