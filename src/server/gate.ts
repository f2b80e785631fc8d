import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { BoughError } from '../tree/error.ts'

export interface GateOptions {
  readonly token: string
  /** What the server listens on. */
  readonly host: string
  /** Further names by which it may be called, as `Host` has them: on any port, for what stands before the server has its own. */
  readonly names: readonly string[]
}

/** What of a request tells where it comes from. */
export interface Caller {
  readonly headers: IncomingHttpHeaders
  /** All of them, names and values in turn: of two with one name, `headers` has only the first. */
  readonly rawHeaders: readonly string[]
  /** Its target as it stands in the first line. */
  readonly url: string | undefined
  /** The port that it came to. */
  readonly port: number | undefined
}

/**
 * Who may come in. A page in a browser can send requests here, and can have a name of its own point here: so the name by
 * which the server is called and the page that calls are looked at before anything else, and then the token.
 */
export class Gate {
  readonly #digest: Buffer
  readonly #own: ReadonlySet<string>
  readonly #further: ReadonlySet<string>
  readonly #isEverywhere: boolean

  constructor({ token, host, names }: GateOptions) {
    this.#digest = digestOf(token)
    this.#own = new Set(['localhost', '127.0.0.1', '::1', asCalled(host)])
    this.#further = new Set(names.map((name) => name.toLowerCase()))
    this.#isEverywhere = host === '0.0.0.0' || host === '::'
  }

  /** Throws where a request comes from somewhere that it must not come from. */
  checkOrigin({ headers, rawHeaders, url = '', port }: Caller): void {
    if (rawHeaders.filter((each, i) => i % 2 === 0 && each.toLowerCase() === 'host').length > 1)
      throw new BoughError('bad_input', 'The request has several Host headers. Send one.')
    const called = addressIn(`http://${headers.host ?? ''}`)
    if (!called || !this.#isOurs(called, port))
      throw new BoughError(
        'forbidden',
        'The server is not called so. Use the address that it printed, or start it with --allow-host NAME.',
      )
    const target = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(url)?.[0]
    if (target !== undefined && addressIn(target)?.host !== called.host)
      throw new BoughError(
        'bad_input',
        'The request names one host in its first line and another in its Host header.',
      )
    const { origin } = headers
    const site = headers['sec-fetch-site']
    const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none'
    if (isForeign || (origin !== undefined && addressIn(origin)?.host !== called.host))
      throw new BoughError('forbidden', 'Pages of other sites may not call this server.')
  }

  /** Throws where the token is missing or wrong. */
  checkToken({ authorization }: IncomingHttpHeaders): void {
    const [, given] = authorization?.match(/^Bearer +(\S+)$/i) ?? []
    if (given !== undefined && timingSafeEqual(digestOf(given), this.#digest)) return
    throw new BoughError(
      'unauthorized',
      given === undefined
        ? 'This needs the token of the server, in the header "Authorization: Bearer …". It says where that is when it starts.'
        : 'That is not the token of this server. It says where that is when it starts.',
    )
  }

  // On another port of this machine is somebody else. No name can point an address elsewhere, so on all addresses each of
  // them is fine.
  #isOurs({ hostname, host, port: called }: URL, port: number | undefined): boolean {
    const name = bareName(hostname)
    if (this.#further.has(name) || this.#further.has(host)) return true
    return Number(called || 80) === port && (this.#own.has(name) || (this.#isEverywhere && isIP(name) !== 0))
  }
}

/** A name or an address as it stands in the address of a request: there are many ways to write one. */
const asCalled = (host: string): string =>
  bareName(URL.parse(`http://${isIP(host) === 6 ? `[${host}]` : host}`)?.hostname ?? host)

const bareName = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

/** Nothing but a scheme, a name and a port. */
function addressIn(origin: string): URL | null {
  return /^https?:\/\/[^/?#@\\]+$/i.test(origin) ? URL.parse(origin) : null
}

// Digests are of one length, whatever is given.
const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest()
