import type { ServerResponse } from 'node:http'
import { nameOfEvent, type StreamEvent } from '../wire/route.ts'
import type { Problem } from './problem.ts'

/** Milliseconds between signs of life: so that a dead connection is noticed, and no proxy gives up. */
const beatEvery = 15_000
/** Milliseconds that something may wait for a reader who takes nothing: it holds what is still to be told. */
const longestStuck = 60_000

/** One answer that is a stream of server-sent events. */
export class EventStream {
  readonly #response: ServerResponse
  readonly #over = new AbortController()
  readonly #beat: NodeJS.Timeout

  /** Sends the head of the answer at once. */
  static open(response: ServerResponse): EventStream {
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    response.flushHeaders()
    return new EventStream(response)
  }

  private constructor(response: ServerResponse) {
    this.#response = response
    this.#beat = setInterval(() => response.writableNeedDrain || response.write(':\n\n'), beatEvery).unref()
    response.on('close', () => this.#end())
    response.on('error', () => this.#end())
    if (response.destroyed) this.#end()
  }

  /** Aborted when nobody reads any more, or the stream has ended. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  /** Bytes that wait for the reader. */
  get waiting(): number {
    return this.#response.writableLength
  }

  send<Event extends StreamEvent>(event: Event, id?: number): void {
    this.write(encodeEvent(event, id))
  }

  /** What `encodeEvent` made: encoded once for many readers. */
  write(encoded: string): void {
    if (!this.over.aborted) this.#response.write(encoded)
  }

  /** Tells the reader the result that it waits for. */
  finish(result: unknown): void {
    this.write(`event: result\ndata: ${JSON.stringify(result ?? null)}\n\n`)
    this.end()
  }

  /** Tells the reader that it ends badly. */
  fail(problem: Problem): void {
    this.write(`event: problem\ndata: ${JSON.stringify(problem)}\n\n`)
    this.end()
  }

  end(): void {
    this.#response.end()
    this.#end()
  }

  /** Gives up a reader that does not read, after so many milliseconds in which it can still take what was sent. */
  endWithin(grace: number): void {
    this.#response.end()
    setTimeout(() => this.#response.destroy(), grace).unref()
    this.#end()
  }

  /** Resolves when the reader has taken what was sent, or is gone; one that takes nothing for long is cut off, and can come back. */
  async drained(): Promise<void> {
    if (!this.#response.writableNeedDrain || this.over.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const goOn = () => resolve()
    const stuck = setTimeout(() => this.#response.destroy(), longestStuck).unref()
    this.#response.once('drain', goOn)
    this.over.addEventListener('abort', goOn)
    await promise
    clearTimeout(stuck)
    // A stream that goes on for days drains often.
    this.#response.off('drain', goOn)
    this.over.removeEventListener('abort', goOn)
  }

  #end(): void {
    clearInterval(this.#beat)
    this.#over.abort()
  }
}

export function encodeEvent<Event extends StreamEvent>(event: Event, id?: number): string {
  const head = id === undefined ? '' : `id: ${id}\n`
  return `${head}event: ${nameOfEvent(event)}\ndata: ${JSON.stringify(event)}\n\n`
}
