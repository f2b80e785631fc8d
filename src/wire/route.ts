import * as z from 'zod/mini'

/**
 * One route as data. The server validates with it, the client calls with it, the OpenAPI document is made from it. A route
 * that serves a method of `Bough` has its name.
 */
export interface Route<Params = unknown, Query = unknown, Body = unknown, Result = unknown, Event = unknown> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Ids stand in braces: `/session/{id}`. */
  readonly path: `/${string}`
  readonly about: string
  readonly params: z.ZodMiniType<Params>
  readonly query: z.ZodMiniType<Query>
  readonly body: z.ZodMiniType<Body>
  /** A body that may be left out altogether: the same as an empty object. */
  readonly bodyIsOptional?: true
  /** A body that is handed on as it came: who handles it reads it. */
  readonly bodyIsText?: true
  /** In bytes; absent: a megabyte. */
  readonly largestBody?: number
  readonly result: z.ZodMiniType<Result>
  /** Of an answer that is fine; absent: 200, or 204 where there is no result. */
  readonly status?: 200 | 201 | 202
  /** What a reader is sent who accepts `text/event-stream`. */
  readonly events: z.ZodMiniType<Event>
  /** Of a stream that goes on after `Last-Event-ID`. */
  readonly resumes?: true
  /** Of a list that comes in pages: the `Link` header names the next one. */
  readonly isPaged?: true
  /** What is streamed instead of JSON, or beside it: one JSON value a line, or a document. */
  readonly type?: 'application/x-ndjson' | 'text/markdown'
  /** Whoever comes may ask it. */
  readonly needsNoToken?: true
}

/** Nothing is brought, or nothing is answered but that it is done. */
export const nothing = z.void()

const noFields = z.strictObject({})

/** What a route is like that says no more. */
export const plain = {
  params: noFields,
  query: noFields,
  body: nothing,
  result: nothing,
  events: nothing,
} as const

export const route = <Params, Query, Body, Result, Event>(
  shape: Route<Params, Query, Body, Result, Event>,
): Route<Params, Query, Body, Result, Event> => shape

export const hasBody = ({ body }: Route): boolean => body !== nothing
export const hasResult = ({ result }: Route): boolean => result !== nothing
export const hasEvents = ({ events }: Route): boolean => events !== nothing

/** The status of an answer that is fine. */
export const statusOf = (each: Route): 200 | 201 | 202 | 204 =>
  each.status ?? (hasResult(each) || each.type ? 200 : 204)

/** An event of a stream: its kind, or its type, is also the event's name. */
export type StreamEvent = { readonly kind: string } | { readonly type: string }

export const nameOfEvent = (event: StreamEvent): string => ('kind' in event ? event.kind : event.type)

/** A whole number in a query, from 1 on. */
export const count = (most: number) =>
  z.codec(
    z.string().check(z.regex(/^[1-9][0-9]{0,15}$/, `A number here is whole, from 1 to ${most}`)),
    z.int().check(z.minimum(1), z.maximum(most)),
    {
      decode: Number,
      encode: String,
    },
  )

const yes = 'true'
const no = 'false'

/** Yes or no in a query. */
export const flag = () =>
  z.codec(z.enum([yes, no]), z.boolean(), {
    decode: (text) => text === yes,
    encode: (value) => (value ? yes : no),
  })

/** Words in a query or a body that are not empty. */
export const words = (most = 1000) => z.string().check(z.minLength(1), z.maxLength(most))
