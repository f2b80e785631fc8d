import { type ClientRequest, get, type IncomingMessage } from 'node:http'
import { createParser } from 'eventsource-parser'
import { onTestFinished } from 'vitest'
import type * as z from 'zod/mini'
import type { Reset, TreeEvent } from '../../src/tree/event.ts'
import { streamed } from '../../src/wire/routes/server.ts'
import { until } from './until.ts'

export type Streamed = z.output<typeof streamed>

/** A reader of server-sent events knows no more than where to ask and with what. */
export interface Address {
  readonly url: string
  readonly token: string
}

export interface Reading {
  readonly after?: number | undefined
  readonly sessions?: readonly string[]
  readonly live?: boolean
  /** It reads this many bytes, and then destroys its socket, in whatever it is in the middle of. */
  readonly cutAfter?: number
  /** Told of each event as it comes. */
  onEvent?(event: Streamed, reader: EventReader): void
}

/** One connection to `GET /event`, as somebody would make it who has no client of ours. */
export class EventReader {
  readonly events: Streamed[] = []
  /** The id of the last event that had one: what comes back as `Last-Event-ID`. */
  lastID: number | undefined
  /** Resolves when the connection is over, whoever ended it. */
  readonly over: Promise<void>
  status: number | null = null
  #request: ClientRequest
  #response: IncomingMessage | null = null
  #isPaused = false

  /** Cut when the test is over. */
  static open(address: Address, reading: Reading = {}): EventReader {
    const reader = new EventReader(address, reading)
    onTestFinished(() => reader.cut())
    return reader
  }

  constructor({ url, token }: Address, { after, sessions, live, cutAfter, onEvent }: Reading) {
    const { promise: over, resolve: end } = Promise.withResolvers<void>()
    this.over = over
    this.lastID = after
    const parser = createParser({
      onEvent: ({ id, event: name, data }) => {
        // The rest of what came with the event after which it was cut.
        if (this.#request.destroyed) return
        const event = streamed.parse(JSON.parse(data))
        if (name !== event.kind) throw new Error(`an event named ${name} is of kind ${event.kind}`)
        const number = 'seq' in event ? String(event.seq) : undefined
        if (id !== number) throw new Error(`event ${number} has id ${id}`)
        if (id !== undefined) this.lastID = Number(id)
        this.events.push(event)
        onEvent?.(event, this)
      },
    })
    const where = new URL('/event', url)
    if (sessions) where.searchParams.set('session', sessions.join(','))
    if (live !== undefined) where.searchParams.set('live', String(live))
    let left = cutAfter ?? Number.POSITIVE_INFINITY
    const decoder = new TextDecoder()
    this.#request = get(where, {
      agent: false,
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${token}`,
        ...(after !== undefined && { 'last-event-id': String(after) }),
      },
    })
    this.#request.on('error', () => end())
    this.#request.on('response', (response) => {
      this.#response = response
      this.status = response.statusCode ?? null
      response.on('data', (bytes: Buffer) => {
        if (this.#request.destroyed) return
        parser.feed(decoder.decode(bytes.subarray(0, left), { stream: true }))
        left -= bytes.length
        if (left <= 0) this.cut()
      })
      response.on('error', () => end())
      response.on('close', () => end())
      if (this.#isPaused) response.pause()
    })
  }

  cut(): void {
    this.#request.destroy()
  }

  /** Takes nothing any more from its socket. */
  pause(): void {
    this.#isPaused = true
    this.#response?.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#response?.resume()
  }

  /** The first event that fits, whether it came already or is still to come. */
  sees<Wanted extends Streamed>(
    what: string,
    fits: (event: Streamed) => event is Wanted,
    limit?: number,
  ): Promise<Wanted> {
    return until(`a reader to see ${what}`, () => this.events.find(fits), limit)
  }

  get durable(): readonly TreeEvent[] {
    return this.events.filter(isDurable)
  }
}

export const isDurable = (event: Streamed): event is TreeEvent => 'at' in event
export const isReset = (event: Streamed): event is Reset => event.kind === 'reset'
export const isOpen = (event: Streamed): event is Extract<Streamed, { kind: 'open' }> => event.kind === 'open'
export const isLive = (event: Streamed): event is Extract<Streamed, { kind: 'live' }> => event.kind === 'live'
export const isDraft = (event: Streamed): event is Extract<Streamed, { kind: 'draft' }> =>
  event.kind === 'draft'
export const isDropped = (event: Streamed): event is Extract<Streamed, { kind: 'dropped' }> =>
  event.kind === 'dropped'
