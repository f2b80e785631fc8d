/** Something that goes wrong with a request, once unless `times` says otherwise. */
export interface Fault {
  readonly method?: string
  /** Compared with the path after `/api/v10`. */
  readonly path?: RegExp
  readonly times?: number
  /** The request takes effect first: only its answer suffers. */
  readonly after?: boolean
  readonly delayMs?: number
  readonly destroySocket?: boolean
  readonly status?: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Finds the fault that a request meets and counts it; one that is used up leaves the list. */
export function takeFault(faults: Fault[], method: string, path: string): Fault | undefined {
  const index = faults.findIndex(
    (one) => (one.method ?? method) === method && (one.path === undefined || one.path.test(path)),
  )
  const fault = faults[index]
  if (!fault) return undefined
  const left = (fault.times ?? 1) - 1
  faults.splice(index, 1, ...(left > 0 ? [{ ...fault, times: left }] : []))
  return fault
}

/** The limit on all requests of a bot together. */
export function globalLimit(retryAfterMs: number): Fault {
  const seconds = retryAfterMs / 1000
  return {
    status: 429,
    headers: {
      'retry-after': String(seconds),
      'x-ratelimit-global': 'true',
      'x-ratelimit-scope': 'global',
    },
    body: { message: 'You are being rate limited.', retry_after: seconds, global: true },
  }
}
