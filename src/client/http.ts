import { createParser } from 'eventsource-parser'
import type * as z from 'zod/mini'
import { BoughError, type ErrorCode, errorCodes } from '../tree/error.ts'
import { hasEvents, hasResult, type Route } from '../wire/route.ts'
import { problem } from '../wire/schema/problem.ts'
import type { ConnectOptions } from './connect-options.ts'
import { Places } from './places.ts'

/** What a call brings. */
export interface Given<Params, Query, Body> {
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
}

export interface Patience {
  readonly signal?: AbortSignal
}

/** How many answers are read at once: each needs a connection, here and at the server. */
const mostReads = 16

/** Calls routes of one server. Everything that comes back is checked against the route. */
export class Http {
  readonly #url: string
  readonly #token: string
  readonly #reading = new Places(mostReads)
  readonly #closing = new AbortController()

  constructor({ url, token }: ConnectOptions) {
    this.#url = url.replace(/\/+$/, '')
    this.#token = token
  }

  get url(): string {
    return this.#url
  }

  /** Aborted when nobody uses it any more. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  close(): void {
    this.#closing.abort(new BoughError('closed', 'The connection to the server was closed.'))
  }

  async call<Params, Query, Body, Result, Event>(
    route: Route<Params, Query, Body, Result, Event>,
    given: Given<Params, Query, Body> = {},
    patience: Patience = {},
  ): Promise<Result> {
    // What takes long comes as the last event of a stream: nothing in between gives up on silence then.
    const accept = hasEvents(route) ? 'application/json' : 'application/json, text/event-stream'
    const ask = async (): Promise<() => Promise<unknown>> => {
      const response = await this.#fetch(route, given, { ...patience, accept })
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      // Nobody else waits for what takes long.
      if (isStream) return () => this.#resultIn(response, patience)
      const json = await this.#jsonOf(response, patience)
      return async () => json
    }
    // What changes something may wait for another call: for an answer to what it asks, or until it is given up.
    const answer = route.method === 'GET' ? await this.#reading.within(ask) : await ask()
    const result = await answer()
    return this.#checked(route.result, hasResult(route) ? result : undefined)
  }

  /** The values of an answer that has one of them a line. */
  async *lines<Params, Query, Body, Result, Event, Value>(
    route: Route<Params, Query, Body, Result, Event>,
    given: Given<Params, Query, Body>,
    schema: z.ZodMiniType<Value>,
  ): AsyncIterable<Value> {
    const response = await this.#fetch(route, given, { accept: route.type ?? '*/*' })
    let pieces: string[] = []
    for await (const text of this.#textOf(response)) {
      const [first = '', ...others] = text.split('\n')
      pieces.push(first)
      for (const other of others) {
        yield this.#checked(schema, jsonIn(pieces.join('')))
        pieces = [other]
      }
    }
  }

  /** Opens a stream of events; rejects where the server refuses. */
  async open<Params, Query, Body, Result, Event>(
    route: Route<Params, Query, Body, Result, Event>,
    given: Given<Params, Query, Body> = {},
    options: Patience & { readonly lastEventID?: number | undefined } = {},
  ): Promise<AsyncIterable<Event>> {
    const { lastEventID, ...patience } = options
    const headers = lastEventID === undefined ? {} : { 'last-event-id': String(lastEventID) }
    const response = await this.#fetch(route, given, { ...patience, accept: 'text/event-stream', headers })
    return this.#eventsOf(route, response, patience)
  }

  async *#eventsOf<Params, Query, Body, Result, Event>(
    route: Route<Params, Query, Body, Result, Event>,
    response: Response,
    patience: Patience,
  ): AsyncIterable<Event> {
    for await (const { data } of this.#messagesOf(response, patience)) yield this.#checked(route.events, data)
  }

  async #resultIn(response: Response, patience: Patience): Promise<unknown> {
    for await (const { name, data } of this.#messagesOf(response, patience))
      if (name === 'result') return data
    throw this.#lost(new Error('The stream ended without a result.'))
  }

  async *#messagesOf(
    response: Response,
    patience: Patience,
  ): AsyncIterable<{ readonly name: string; readonly data: unknown }> {
    const arrived: { readonly name: string; readonly data: string }[] = []
    const parser = createParser({
      onEvent: ({ event: name = 'message', data }) => arrived.push({ name, data }),
    })
    for await (const text of this.#textOf(response, patience)) {
      parser.feed(text)
      for (const { name, data } of arrived.splice(0)) {
        const value: unknown = JSON.parse(data)
        if (name === 'problem') throw errorOf(value)
        yield { name, data: value }
      }
    }
  }

  async *#textOf(response: Response, { signal }: Patience = {}): AsyncIterable<string> {
    const decoder = new TextDecoder()
    try {
      for await (const piece of response.body ?? []) yield decoder.decode(piece, { stream: true })
    } catch (cause) {
      signal?.throwIfAborted()
      throw this.#lost(cause)
    }
  }

  async #jsonOf(response: Response, { signal }: Patience): Promise<unknown> {
    try {
      return response.status === 204 ? null : await response.json()
    } catch (cause) {
      signal?.throwIfAborted()
      if (!response.headers.get('content-type')?.includes('json')) throw this.#noBough()
      throw this.#lost(cause)
    }
  }

  async #fetch<Params, Query, Body, Result, Event>(
    route: Route<Params, Query, Body, Result, Event>,
    { params, query, body }: Given<Params, Query, Body>,
    { accept, headers, signal }: Patience & { accept: string; headers?: Record<string, string> },
  ): Promise<Response> {
    const url = new URL(this.#url + pathOf(route.path, { ...params }))
    for (const [name, value] of Object.entries({ ...query }))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const ask = () =>
      fetch(url, {
        method: route.method,
        headers: {
          ...headers,
          accept,
          authorization: `Bearer ${this.#token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        signal: signal ? AbortSignal.any([signal, this.closing]) : this.closing,
      })
    const response = await ask()
      // The connection was closed in the very moment when it was to be used again: what only reads can be asked once more.
      .catch((cause) => (route.method === 'GET' && wasReset(cause) ? ask() : Promise.reject(cause)))
      .catch((cause) => {
        signal?.throwIfAborted()
        throw this.#lost(cause)
      })
    if (response.ok) return response
    const said: unknown = await response.json().catch(() => null)
    // A proxy fails in words of its own; what else a bough refuses, it explains.
    throw response.status < 500 && !problem.safeParse(said).success ? this.#noBough() : errorOf(said)
  }

  #checked<T>(schema: z.ZodMiniType<T>, value: unknown): T {
    const { success, data, error: cause } = schema.safeParse(value)
    if (success) return data
    throw new BoughError(
      'server_failed',
      `What answers at ${this.#url} is no bough, or one of another version. Use the same version on both sides.`,
      { cause },
    )
  }

  #noBough(): BoughError {
    return new BoughError(
      'server_failed',
      `What answers at ${this.#url} is no bough server. Look at the address: "bough serve" says it when it starts.`,
    )
  }

  #lost(cause: unknown): unknown {
    if (this.closing.aborted) return this.closing.reason
    if (cause instanceof BoughError) return cause
    return new BoughError(
      'server_unreachable',
      `No server answers at ${this.#url}. Start it with "bough serve", or work without it.`,
      { cause },
    )
  }
}

function pathOf(path: string, params: Readonly<Record<string, unknown>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
}

function wasReset(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null
  const code = cause instanceof Error && 'code' in cause ? cause.code : null
  return code === 'ECONNRESET' || code === 'UND_ERR_SOCKET' || code === 'EPIPE'
}

const isCode = (code: string): code is ErrorCode => errorCodes.some((each) => each === code)

// What is no JSON fits no schema.
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function errorOf(value: unknown): BoughError {
  const { success, data } = problem.safeParse(value)
  if (!success)
    return new BoughError(
      'server_failed',
      'The server failed, and did not say why. Try again; its own output may say more.',
    )
  return new BoughError(isCode(data.code) ? data.code : 'server_failed', data.detail)
}
