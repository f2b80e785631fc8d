import fc from 'fast-check'
import {
  closedHeaders,
  deep,
  extraNames,
  oddHeaders,
  oddMethod,
  oddPath,
  oddText,
  rawBody,
  wrong,
} from './fuzz-odd.ts'
import { encode, type FuzzRequest, finish, type Parts } from './fuzz-request.ts'
import { valueFor } from './fuzz-values.ts'
import { type Described, type Operation, pathWith, type Schema } from './operations.ts'

// Requests as the server describes them, and such that are wrong in one way or in several.

/** Less often: what costs a process of git or more each time, and what takes away what the others name. */
const weights: Readonly<Record<string, number>> = {
  ...{ fork: 2, previewFork: 1, files: 1, compareFiles: 1, restore: 1, undo: 1, gc: 1, diff: 1 },
  ...{ runBackground: 1, runSchedule: 1, remove: 1, cancelSchedule: 1 },
  ...{ send: 10, say: 10 },
}

/** Fit the description; many of them are fine, others ask for what cannot be. */
export const validRequests = (described: Described): fc.Arbitrary<FuzzRequest> =>
  partsOf(described).chain((parts) => headers.map((more) => finish(parts, more)))

/** Fit the description, and ask for what cannot be: a thing that is not there, an agent that nobody knows. */
export const vainRequests = (described: Described): fc.Arbitrary<FuzzRequest> =>
  partsOf(described)
    .map((parts) => finish(parts))
    .filter(({ path, body }) => /nobody|nonsense|Mars|01kc000|\/etc|\.\.|%2Fetc/.test(`${path} ${body}`))

/** Are refused for what they look like, whatever there is. */
export const refusedRequests = (described: Described): fc.Arbitrary<FuzzRequest> =>
  partsOf(described).chain((parts) =>
    fc.oneof(
      { weight: 4, arbitrary: unfitBody(parts) },
      { weight: 2, arbitrary: unfitQuery(parts) },
      { weight: 2, arbitrary: brokenParams(parts) },
      { weight: 1, arbitrary: oddMethod.map((method) => ({ ...finish(parts), method, body: null })) },
      { weight: 1, arbitrary: oddPath.map((path) => ({ ...finish(parts), path, body: '[]' })) },
      { weight: 1, arbitrary: closedHeaders.map((more) => finish(parts, more)) },
    ),
  )

/** Do not fit, in one way or in several; some of them are fine all the same. */
export const brokenRequests = (described: Described): fc.Arbitrary<FuzzRequest> =>
  partsOf(described).chain((parts) =>
    fc.oneof(
      { weight: 4, arbitrary: brokenBody(parts) },
      { weight: 2, arbitrary: brokenQuery(parts) },
      { weight: 2, arbitrary: brokenParams(parts) },
      { weight: 1, arbitrary: oddMethod.map((method) => ({ ...finish(parts), method })) },
      { weight: 1, arbitrary: oddPath.map((path) => ({ ...finish(parts), path })) },
      { weight: 1, arbitrary: oddHeaders.map((more) => finish(parts, more)) },
      { weight: 1, arbitrary: rawBody.map((body) => ({ ...finish(parts), body })) },
      { weight: 1, arbitrary: fc.constant({ ...finish(parts), isGarbled: true }) },
    ),
  )

function partsOf({ operations, schemas }: Described): fc.Arbitrary<Parts> {
  const each = operations.map((operation) => ({
    weight: weights[operation.name] ?? 5,
    arbitrary: parts(operation, schemas),
  }))
  return fc.oneof(...each)
}

function parts(operation: Operation, schemas: Described['schemas']): fc.Arbitrary<Parts> {
  const params = operation.parameters.filter((each) => each.in === 'path')
  const query = operation.parameters.filter((each) => each.in === 'query')
  const text = (name: string, schema: Schema) => valueFor(name, schema, schemas).map(String)
  const mostly = new Set(['against', 'id', 'message', 'directory'])
  return fc.record({
    operation: fc.constant(operation),
    params: fc.record(Object.fromEntries(params.map(({ name, schema }) => [name, text(name, schema)]))),
    query: fc
      .tuple(
        ...query.map(({ name, schema }) =>
          fc
            .option(text(name, schema), { freq: mostly.has(name) ? 10 : 1 })
            .map((value) => [name, value] as const),
        ),
      )
      .map((pairs) => pairs.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))),
    body: operation.body ? valueFor('body', operation.body, schemas) : fc.constant(undefined),
  })
}

const headers = fc.constantFrom<Readonly<Record<string, string>>[]>(
  {},
  {},
  { accept: 'text/event-stream' },
  { accept: 'application/json, text/event-stream;q=0.5' },
  { accept: 'text/event-stream', 'last-event-id': '1' },
)

function brokenBody(parts: Parts): fc.Arbitrary<FuzzRequest> {
  const body = typeof parts.body === 'object' && parts.body !== null ? Object.entries(parts.body) : []
  const at = fc.nat(Math.max(0, body.length - 1))
  return fc
    .oneof(
      at.map((i) => asObject(body.filter((_, j) => j !== i))),
      fc.tuple(extraNames, wrong).map(([name, value]) => asObject([...body, [name, value]])),
      fc
        .tuple(at, wrong)
        .map(([i, value]) => asObject(body.map(([name, old], j) => [name, j === i ? value : old]))),
      wrong.map((value) => JSON.stringify(value)),
    )
    .map((body) => ({ ...finish(parts), body }))
}

/** An entry too many, one too few, or of another kind; what brings no body then brings a query that nobody knows. */
function unfitBody(parts: Parts): fc.Arbitrary<FuzzRequest> {
  const { operation, body } = parts
  if (operation.body === null || operation.body.type !== 'object') return unfitQuery(parts)
  const entries = typeof body === 'object' && body !== null ? Object.entries(body) : []
  const required = operation.body.required ?? []
  const lacking = required.map((name) => asObject(entries.filter(([each]) => each !== name)))
  const unfit = entries.flatMap(([name]) =>
    [{ value: {} }, [[]], 7.5, deep(2_000)].map((value) =>
      asObject(entries.map(([each, old]) => [each, each === name ? value : old])),
    ),
  )
  const extra = ['__proto__', 'constructor', 'toString', 'extra', '', 'Title'].map((name) =>
    asObject([...entries, [name, { title: 'x' }]]),
  )
  const nonsense = [
    '{',
    '[',
    '{"a":',
    '{"a":1,}',
    "{'a':1}",
    'null',
    '7',
    '"x"',
    '[]',
    '['.repeat(50_000),
    '{}{}',
    '\u0000',
  ]
  return fc
    .constantFrom(...lacking, ...unfit, ...extra, ...nonsense)
    .map((text) => ({ ...finish(parts), body: text }))
}

const unfitQuery = (parts: Parts): fc.Arbitrary<FuzzRequest> =>
  fc
    .tuple(fc.constantFrom('__proto__', 'constructor', 'nobody', 'toString', 'Limit'), oddText)
    .map(([name, value]) => {
      const request = finish(parts)
      const mark = request.path.includes('?') ? '&' : '?'
      return { ...request, path: `${request.path}${mark}${name}=${inURL(value)}` }
    })

// By hand, since an object would take __proto__ for something else.
const asObject = (entries: readonly (readonly [string, unknown])[]): string =>
  `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`

// What is a bad encoding as it stands is sent so.
const inURL = (text: string): string => (/^%/.test(text) ? text : encode(text))

const brokenQuery = (parts: Parts): fc.Arbitrary<FuzzRequest> =>
  fc
    .tuple(fc.oneof(extraNames, fc.constantFrom(...queryNames(parts))), oddText, fc.boolean())
    .map(([name, value, twice]) => {
      const more = `${encode(name)}=${inURL(value)}`
      const request = finish(parts)
      const mark = request.path.includes('?') ? '&' : '?'
      return { ...request, path: `${request.path}${mark}${more}${twice ? `&${more}` : ''}` }
    })

const queryNames = ({ operation }: Parts): [string, ...string[]] => [
  'limit',
  ...operation.parameters.flatMap((each) => (each.in === 'query' ? [each.name] : [])),
]

const brokenParams = (parts: Parts): fc.Arbitrary<FuzzRequest> =>
  oddText.map((text) => {
    const params = Object.fromEntries(Object.keys(parts.params).map((name) => [name, inURL(text)]))
    return { ...finish(parts), path: pathWith(parts.operation.path, params) }
  })
