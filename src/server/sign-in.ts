import { BoughError } from '../tree/error.ts'

/** Milliseconds that a link is good for. */
const lasts = 10 * 60_000

/** One-time links: a page in a browser exchanges the code in its link for the token, once. */
export class SignIn {
  readonly #token: string
  readonly #now: () => number
  readonly #codes = new Map<string, number>()

  /** `now` is milliseconds of a clock that nobody sets. */
  constructor(token: string, now: () => number = () => performance.now()) {
    this.#token = token
    this.#now = now
  }

  newCode(): string {
    const now = this.#now()
    for (const [code, until] of this.#codes) if (until <= now) this.#codes.delete(code)
    const code = Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url')
    this.#codes.set(code, now + lasts)
    return code
  }

  exchange(code: string): string {
    const until = this.#codes.get(code)
    this.#codes.delete(code)
    if (until !== undefined && this.#now() < until) return this.#token
    throw new BoughError(
      'unauthorized',
      'This link has been used, or is too old. "bough serve --link" prints a new one.',
    )
  }
}
