import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import * as z from 'zod/mini'

// What a server says of itself in /openapi.json, and whether its answers are so.
//
// A test that speaks HTTP, by the client or by fetch, begins with
//
//     const server = await serveForTest(home)
//     await watchFetch(server)
//
// (test/support/watch-fetch.ts) and every answer that it gets from that server until its end is checked. Where the answers
// come by another way than fetch, `describedBy(server)` has `checkResponse`.

/** What may come as the answer to one request: throws as soon as something comes that may not. */
export interface Expected {
  /** Takes the body as it comes. */
  take(text: string): void
  /** The body is whole. */
  end(): void
}

/** Where a server is, and what lets one in. */
export interface Address {
  readonly url: string
  readonly token: string
}

export interface Description {
  /** Throws where such an answer is not described at all. */
  expect(method: string, path: string, status: number, contentType: string | null): Expected
  /** Throws where an answer is not as it is described. `path` may have a query. */
  checkResponse(method: string, path: string, status: number, contentType: string | null, body: string): void
}

const content = z.record(z.string(), z.object({ schema: z.unknown() }))
const operation = z.object({ responses: z.record(z.string(), z.object({ content: z.optional(content) })) })
const shape = z.object({
  openapi: z.string(),
  paths: z.record(z.string(), z.record(z.string(), operation)),
})

type Document = z.output<typeof shape>

/** Reads the description of a server; throws where that is no valid OpenAPI 3.1. */
export async function describedBy({ url, token }: Address): Promise<Description> {
  const { version } = health.parse(await (await fetch(`${url}/health`)).json())
  const description = known.get(version) ?? read({ url, token })
  known.set(version, description)
  return description
}

// All servers of one version say the same, and making, reading and checking it takes longer than most tests.
const known = new Map<string, Promise<Description>>()
const health = z.object({ version: z.string() })

async function read({ url, token }: Address): Promise<Description> {
  const response = await fetch(`${url}/openapi.json`, { headers: { authorization: `Bearer ${token}` } })
  const found = z.record(z.string(), z.unknown()).parse(await response.json())
  const { valid, errors } = await new Validator().validate(found)
  if (!valid) throw new Error(`/openapi.json is no OpenAPI: ${JSON.stringify(errors)}`)
  const document = shape.parse(found)
  if (!document.openapi.startsWith('3.1.')) throw new Error(`/openapi.json is OpenAPI ${document.openapi}.`)
  return new Described(document, new Schemas(found))
}

/** The schemas of a document, compiled when they are first needed. */
class Schemas {
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })

  constructor(document: Readonly<Record<string, unknown>>) {
    this.#ajv.addSchema(document, 'openapi', undefined, false)
  }

  /** What checks values against the schema at that place in the document. */
  at(...steps: readonly string[]): (value: unknown) => void {
    const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')))
    const validate: ValidateFunction | undefined = this.#ajv.getSchema(`openapi#/${pointer.join('/')}`)
    if (!validate) throw new Error(`There is no schema at ${steps.join(' → ')}.`)
    return (value) => {
      if (validate(value)) return
      throw new Error(`${JSON.stringify(value)?.slice(0, 2000)}: ${this.#ajv.errorsText(validate.errors)}`)
    }
  }
}

class Described implements Description {
  readonly #document: Document
  readonly #schemas: Schemas

  constructor(document: Document, schemas: Schemas) {
    this.#document = document
    this.#schemas = schemas
  }

  checkResponse(
    method: string,
    path: string,
    status: number,
    contentType: string | null,
    body: string,
  ): void {
    const expected = this.expect(method, path, status, contentType)
    expected.take(body)
    expected.end()
  }

  expect(method: string, path: string, status: number, contentType: string | null): Expected {
    const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? null
    const place = this.#placeOf(path)
    // What answers HEAD is what would answer GET, without its body.
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
    const responses = place && this.#document.paths[place]?.[verb]?.responses
    if (!place || !responses) return this.#undescribed(method, status, type)
    const key = responses[status] ? String(status) : status >= 400 ? 'default' : null
    const response = key && responses[key]
    if (!response) throw new Error(`The status ${status} is not described.`)
    if (method === 'HEAD' || (!response.content && type === null)) return nothing
    if (type === null || !response.content?.[type])
      throw new Error(`The content type ${type} is not described for ${status}.`)
    const check = this.#schemas.at('paths', place, verb, 'responses', key, 'content', type, 'schema')
    switch (type) {
      case 'text/event-stream':
        return eventsThat(check, this.#component('Problem'))
      case 'application/x-ndjson':
        return linesThat(this.#component('Message'))
      default:
        return wholeThat(type.endsWith('json') ? (text) => check(JSON.parse(text)) : check)
    }
  }

  #component(name: string): (value: unknown) => void {
    return this.#schemas.at('components', 'schemas', name)
  }

  // A path or a method that there is not: only a refusal can be the answer.
  #undescribed(method: string, status: number, type: string | null): Expected {
    if (status < 400 || type !== 'application/problem+json')
      throw new Error(`Nothing is described there, and the answer was ${status} with ${type}.`)
    if (method === 'HEAD') return nothing
    const check = this.#component('Problem')
    return wholeThat((text) => check(JSON.parse(text)))
  }

  #placeOf(path: string): string | null {
    const asked = path.replace(/[?#].*$/s, '').split('/')
    const fits = (place: string) => {
      const steps = place.split('/')
      return (
        steps.length === asked.length && steps.every((step, i) => step === asked[i] || step.startsWith('{'))
      )
    }
    return Object.keys(this.#document.paths).find(fits) ?? null
  }
}

const nothing: Expected = {
  take(text) {
    if (text !== '') throw new Error(`No body is described, and there is one: ${text.slice(0, 200)}`)
  },
  end() {},
}

function wholeThat(check: (text: string) => void): Expected {
  let whole = ''
  return {
    take(text) {
      whole += text
    },
    end: () => check(whole),
  }
}

function linesThat(check: (value: unknown) => void): Expected {
  let rest = ''
  return {
    take(text) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) check(JSON.parse(line))
    },
    end() {
      if (rest !== '') throw new Error(`The last line does not end: ${rest.slice(0, 200)}`)
    },
  }
}

function eventsThat(check: (value: unknown) => void, checkProblem: (value: unknown) => void): Expected {
  const checkEvent = ({ event, data }: EventSourceMessage) => {
    const value: unknown = JSON.parse(data)
    if (event === 'problem') return checkProblem(value)
    check(value)
    const { kind, type } = named.parse(value)
    if (event !== (kind ?? type)) throw new Error(`An event is named ${event} and has ${data.slice(0, 200)}`)
  }
  const parser = createParser({ onEvent: checkEvent })
  return { take: (text) => parser.feed(text), end() {} }
}

const named = z.object({ kind: z.optional(z.string()), type: z.optional(z.string()) })
