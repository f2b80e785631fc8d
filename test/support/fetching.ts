import { createParser } from 'eventsource-parser'
import { expect } from 'vitest'
import type * as z from 'zod/mini'
import { problem } from '../../src/wire/schema/problem.ts'

// Requests as a program without the client would make them, and their answers.

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body, when the status is that one. */
  as<T>(status: number, schema: z.ZodMiniType<T>): T
  /** It is refused with that status and code; the places in the request that are wrong. */
  refused(status: number, code: string): readonly string[]
}

export interface Fetching {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  ask(path: string, init: RequestInit): Promise<Answer>
  /** The names of the events of an answer and what is in them, until it ends. */
  events(path: string, body?: unknown): AsyncIterable<{ readonly name: string; readonly data: unknown }>
}

export function fetching({ url, token }: { readonly url: string; readonly token: string }): Fetching {
  const authorization = `Bearer ${token}`
  const send = (path: string, { headers, ...init }: RequestInit) =>
    fetch(url + path, { ...init, headers: { authorization, ...Object.fromEntries(new Headers(headers)) } })
  const ask = async (path: string, init: RequestInit) => answerOf(await send(path, init))
  return {
    ask,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, body) => ask(path, posting(body)),
    async *events(path, body) {
      const { headers, ...init } = posting(body)
      const response = await send(path, { ...init, headers: { ...headers, accept: 'text/event-stream' } })
      expect([response.status, response.headers.get('content-type')]).toEqual([
        ...[200, 'text/event-stream; charset=utf-8'],
      ])
      const arrived: { name: string; data: unknown }[] = []
      const parser = createParser({
        onEvent: ({ event, data }) => arrived.push({ name: event ?? '', data: JSON.parse(data) }),
      })
      const decoder = new TextDecoder()
      for await (const piece of response.body ?? []) {
        parser.feed(decoder.decode(piece, { stream: true }))
        yield* arrived.splice(0)
      }
    },
  }
}

const posting = (body: unknown) =>
  body === undefined
    ? { method: 'POST', headers: {} }
    : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }

async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response
  const text = await response.text()
  return {
    status,
    headers,
    text,
    as(wanted, schema) {
      if (status !== wanted) throw new Error(`The answer was ${status}, and not ${wanted}: ${text}`)
      return schema.parse(JSON.parse(text))
    },
    refused(wanted, code) {
      const { errors = [], ...found } = problem.parse(JSON.parse(text))
      expect({ status, type: headers.get('content-type'), code: found.code }).toEqual({
        ...{ status: wanted, type: 'application/problem+json', code },
      })
      expect(found.status).toBe(wanted)
      return errors.map(({ path }) => path)
    },
  }
}
