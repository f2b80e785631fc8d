import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from './api-error.ts'
import { type Fault, takeFault } from './faults.ts'
import type { RateLimits } from './rate-limits.ts'
import { type RequestBody, readBody } from './request-body.ts'
import { type Answer, compiled, type Route } from './route.ts'
import { routesOf } from './routes.ts'
import type { Service } from './service.ts'

export interface RequestLog {
  readonly at: number
  readonly method: string
  /** What comes after `/api/v10`, decoded. */
  readonly path: string
  readonly query: string
  readonly body: unknown
  readonly files: number
  /** Whether it came with a token. */
  readonly auth: boolean
  /** 0 until it is answered, -1 when the connection was cut instead. */
  status: number
}

interface Surroundings {
  readonly token: string
  readonly now: () => number
  readonly limits: RateLimits
  readonly service: Service
}

interface FullAnswer extends Answer {
  readonly headers?: Readonly<Record<string, string>>
}

/** The side of Discord that is asked. */
export class RestApi {
  readonly requests: RequestLog[] = []
  /** What the fake does not know, and what it failed at: a test should find nothing here. */
  readonly unhandled: string[] = []
  faults: Fault[] = []
  refusals = 0
  readonly #around: Surroundings
  readonly #routes: readonly Route[]

  constructor(around: Surroundings) {
    this.#around = around
    this.#routes = compiled(routesOf(around.service))
  }

  async serve(request: IncomingMessage, response: ServerResponse, stopped: AbortSignal): Promise<void> {
    const { method = 'GET', url = '/' } = request
    try {
      await this.#serve(request, response, stopped)
    } catch (error) {
      // Who was killed, or stopped, in the middle of a request, is no failure of the fake.
      if (request.complete && !stopped.aborted) this.unhandled.push(`${method} ${url} failed: ${error}`)
      request.socket.destroy()
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse, stopped: AbortSignal): Promise<void> {
    const { method = 'GET', headers } = request
    const url = new URL(request.url ?? '/', 'http://fake')
    const path = decodeURIComponent(url.pathname.replace(/^\/api(\/v10)?(?=\/)/, ''))
    const body = await readBody(request)
    const entry: RequestLog = {
      at: this.#around.now(),
      method,
      path,
      query: url.search,
      body: body.body,
      files: body.uploads.length,
      auth: headers.authorization !== undefined,
      status: 0,
    }
    this.requests.push(entry)
    const fault = takeFault(this.faults, method, path)
    const isLate = fault?.after ?? false
    const inTime = isLate ? this.#answer(entry, headers.authorization, url.searchParams, body) : undefined
    if (fault?.delayMs !== undefined) await pause(fault.delayMs, undefined, { signal: stopped })
    if (fault?.destroySocket) {
      entry.status = -1
      request.socket.destroy()
      return
    }
    const answer =
      faultyAnswer(fault) ?? inTime ?? this.#answer(entry, headers.authorization, url.searchParams, body)
    if (answer.status === 429) this.refusals++
    entry.status = answer.status
    const text = answer.body === undefined ? '' : JSON.stringify(answer.body)
    response.writeHead(answer.status, {
      ...(text !== '' && { 'content-type': 'application/json' }),
      ...answer.headers,
    })
    response.end(text)
  }

  #answer(
    { method, path }: RequestLog,
    authorization: string | undefined,
    query: URLSearchParams,
    { body, uploads }: RequestBody,
  ): FullAnswer {
    const { token, limits } = this.#around
    const asked = `${method} ${path}`
    const route = this.#routes.find(({ pattern }) => pattern.test(asked))
    if (!route) {
      this.unhandled.push(asked)
      return { status: 404, body: { message: '404: Not Found', code: 0 } }
    }
    const { headers, retryAfter } = limits.take(route.name, path)
    if (retryAfter !== undefined) {
      const message = 'You are being rate limited.'
      return { status: 429, headers, body: { message, retry_after: retryAfter, global: false } }
    }
    if (needsToken(path) && authorization !== `Bot ${token}`)
      return { status: 401, headers, body: { message: '401: Unauthorized', code: 0 } }
    try {
      const params = route.pattern.exec(asked)?.slice(1) ?? []
      return { ...route.handle({ body, uploads, query }, ...params), headers }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { status: error.status, headers, body: error.body }
    }
  }
}

const faultyAnswer = ({ status, body, headers }: Fault = {}): FullAnswer | undefined =>
  status === undefined ? undefined : { status, body, ...(headers && { headers }) }

const needsToken = (path: string): boolean =>
  path !== '/gateway' && !/^\/(interactions|webhooks)\//.test(path)
