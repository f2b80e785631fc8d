import * as z from 'zod/mini'
import type { Bough } from '../bough.ts'
import type { Route } from '../wire/route.ts'
import type { RouteName } from '../wire/routes.ts'
import type { Calls } from './calls.ts'
import type { EventHub } from './event-hub.ts'
import type { EventStream } from './event-stream.ts'
import type { GivenUp } from './given-up.ts'
import type { HidePaths } from './hidden-paths.ts'
import type { KnownDirectories } from './known-directories.ts'
import { RequestError } from './problem.ts'
import type { SignIn } from './sign-in.ts'
import type { TurnLimit } from './turn-limit.ts'

/** What the handlers stand on. */
export interface ServerParts {
  readonly bough: Bough
  readonly directories: KnownDirectories
  readonly calls: Calls
  readonly hub: EventHub
  readonly limit: TurnLimit
  readonly givenUp: GivenUp
  readonly signIn: SignIn
  readonly version: string
  readonly hide: HidePaths
  isStopping(): boolean
}

/** One request, as far as its handler has to do with it beyond what it asks for. */
export interface Call {
  /** Aborted when the caller is gone before it was answered. */
  readonly gone: AbortSignal
  /** The caller wants events. */
  readonly wantsEvents: boolean
  /** The number of the last event that the caller has seen. */
  readonly lastEventID: number | undefined
  /** Answers with a stream of events. */
  stream(): EventStream
  /** Answers with pieces of text, at the pace of the reader. */
  pour(pieces: AsyncIterable<string>, type: string): Promise<void>
  /** Names the next page in the `Link` header. */
  nextPage(query: Readonly<Record<string, string>>): void
}

/** For a handler that has answered by itself. */
export const answered = Symbol('answered')

export type Answered<Result> = Promise<Result | typeof answered>

/** A route with the function that serves it. */
export interface Served {
  readonly route: Route
  answer(asked: Asked, call: Call): Answered<unknown>
}

/** A request before it was checked. */
export interface Asked {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** What a handler is given. */
export interface Input<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
}

export const on = <Params, Query, Body, Result, Event>(
  route: Route<Params, Query, Body, Result, Event>,
  handle: (input: Input<Params, Query, Body>, call: Call) => Answered<Result>,
): Served => ({
  route,
  answer: async ({ params, query, body }, call) =>
    handle(
      {
        params: checked('path', route.params, params),
        query: checked('query', route.query, query),
        body: checked('body', route.body, body),
      },
      call,
    ),
})

export type Handlers<Names extends RouteName> = Readonly<Record<Names, Served>>

const words = { error: z.locales.en().localeError }

function checked<T>(where: string, schema: z.ZodMiniType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value, words)
  if (success) return data
  const isObject = schema instanceof z.ZodMiniObject
  const issues = error.issues.map((issue) =>
    isObject && issue.code === 'unrecognized_keys' && issue.path.length === 0
      ? { ...issue, message: `${issue.message}; known are ${Object.keys(schema.shape).join(', ') || 'none'}` }
      : issue,
  )
  throw new RequestError(where, issues)
}
