import type { Upload } from './files.ts'

export interface ApiRequest {
  readonly body: unknown
  readonly uploads: readonly Upload[]
  readonly query: URLSearchParams
}

export interface Answer {
  readonly status: number
  readonly body?: unknown
}

/** Gets what stands in place of the parts of the route's name that begin with a colon. */
export type Handler = (request: ApiRequest, ...params: string[]) => Answer

export const ok = (body: unknown): Answer => ({ status: 200, body })
export const done: Answer = { status: 204 }

export interface Route {
  readonly name: string
  readonly handle: Handler
  readonly pattern: RegExp
}

export const compiled = (routes: Readonly<Record<string, Handler>>): Route[] =>
  Object.entries(routes).map(([name, handle]) => ({ name, handle, pattern: patternOf(name) }))

/** Ids are numbers; anything else that has a colon may be any text. */
function patternOf(name: string): RegExp {
  const pattern = name.replaceAll(/:\w+/g, (param) => (param === ':id' ? '(\\d+)' : '([^/]+)'))
  return new RegExp(`^${pattern}$`)
}
