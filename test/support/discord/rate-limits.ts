import { createHash } from 'node:crypto'
import type { RouteName } from './routes.ts'

/** Routes with the same `bucket` share one limit. */
export interface RateLimit {
  readonly limit: number
  readonly windowMs: number
  readonly bucket?: string
}

export type Limits = { readonly [route in RouteName]?: RateLimit }

const reactions = { limit: 1, windowMs: 250, bucket: 'reactions' }

/** Discord does not publish them; these are what people see. */
export const defaultLimits: Limits = {
  'POST /channels/:id/messages': { limit: 5, windowMs: 5000 },
  'PATCH /channels/:id/messages/:id': { limit: 5, windowMs: 5000 },
  'DELETE /channels/:id/messages/:id': { limit: 5, windowMs: 1000 },
  'GET /channels/:id/messages/:id': { limit: 5, windowMs: 5000 },
  'POST /channels/:id/typing': { limit: 5, windowMs: 5000 },
  'PUT /channels/:id/messages/:id/reactions/:emoji/@me': reactions,
  'DELETE /channels/:id/messages/:id/reactions/:emoji/@me': reactions,
  'POST /webhooks/:id/:token': { limit: 5, windowMs: 2000 },
  'PATCH /webhooks/:id/:token/messages/:message': { limit: 5, windowMs: 2000 },
}

/** The same limits in shorter windows, for tests that do not want to wait. */
export const scaledLimits = (factor: number, limits: Limits = defaultLimits): Limits =>
  Object.fromEntries(
    Object.entries(limits).map(([route, limit]) => [
      route,
      { ...limit, windowMs: Math.ceil(limit.windowMs * factor) },
    ]),
  )

export interface Allowance {
  readonly headers: Readonly<Record<string, string>>
  /** How long to wait, in seconds, when there were too many requests. */
  readonly retryAfter?: number
}

export class RateLimits {
  readonly #limits: ReadonlyMap<string, RateLimit>
  readonly #now: () => number
  readonly #buckets = new Map<string, { readonly resetAt: number; used: number }>()

  constructor(limits: Limits | false, now: () => number) {
    this.#limits = new Map(Object.entries(limits === false ? {} : limits))
    this.#now = now
  }

  /** Counts a request. Each channel, and each interaction, has buckets of its own. */
  take(route: string, path: string): Allowance {
    const rule = this.#limits.get(route)
    if (!rule) return { headers: {} }
    const name = rule.bucket ?? route
    const bucket = this.#bucket(`${name} ${ownerOf(path)}`, rule.windowMs)
    const isOver = bucket.used >= rule.limit
    if (!isOver) bucket.used++
    const seconds = (bucket.resetAt - this.#now()) / 1000
    const headers = {
      'x-ratelimit-limit': String(rule.limit),
      'x-ratelimit-remaining': String(rule.limit - bucket.used),
      'x-ratelimit-reset': (bucket.resetAt / 1000).toFixed(3),
      'x-ratelimit-reset-after': seconds.toFixed(3),
      'x-ratelimit-bucket': createHash('md5').update(name).digest('hex'),
    }
    if (!isOver) return { headers }
    // Discord rounds up to whole seconds; where windows are scaled down, that would be for ever.
    const wait = rule.windowMs < 1000 ? seconds.toFixed(3) : String(Math.ceil(seconds))
    return {
      headers: { ...headers, 'retry-after': wait, 'x-ratelimit-scope': 'user' },
      retryAfter: Number(seconds.toFixed(3)),
    }
  }

  #bucket(key: string, windowMs: number) {
    const current = this.#buckets.get(key)
    if (current && current.resetAt > this.#now()) return current
    const fresh = { resetAt: this.#now() + windowMs, used: 0 }
    this.#buckets.set(key, fresh)
    return fresh
  }
}

/** The channel, or the webhook with its token. */
const ownerOf = (path: string): string =>
  /^\/channels\/[^/]+|^\/webhooks\/[^/]+\/[^/]+/.exec(path)?.[0] ?? 'everybody'
