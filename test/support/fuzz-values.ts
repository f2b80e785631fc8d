import fc from 'fast-check'
import { prefixes } from './fuzz-request.ts'
import { type Described, idIn, type Schema } from './operations.ts'

const idOf = (kind: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.nat(30).map((i) => `«${kind}:${i}»`) },
    { weight: 1, arbitrary: fc.constant(`${prefixes[kind]}_01kc0000000000000000000000`) },
  )

/** What fits a schema; by the name of the field, also what makes sense there. */
export function valueFor(name: string, schema: Schema, schemas: Described['schemas']): fc.Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => valueFor(name, each, schemas)))
  const id = idIn(schema)
  if (id) return idOf(id)
  const known = byName[name]
  if (known) return known
  if (schema.$ref) return valueFor(name, schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, schemas)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'integer':
    case 'number':
      return fc.integer({
        min: schema.minimum ?? 1,
        max: Math.min(schema.maximum ?? 1000, Number.MAX_SAFE_INTEGER),
      })
    case 'array':
      return fc.array(valueFor('', schema.items ?? {}, schemas), { maxLength: 4 })
    case 'object':
      return objectFor(schema, schemas)
    default:
      return words(schema.minLength ?? 0)
  }
}

function objectFor(
  { properties = {}, required = [] }: Schema,
  schemas: Described['schemas'],
): fc.Arbitrary<unknown> {
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, valueFor(name, schema, schemas)]),
  )
  const optional = Object.keys(properties).filter((name) => !required.includes(name))
  // Few at once: together most of them are contradictions.
  return fc
    .tuple(fc.record(model), fc.subarray(optional, { maxLength: Math.min(3, optional.length) }))
    .map(([whole, chosen]) =>
      Object.fromEntries(
        Object.entries(whole).filter(([name]) => required.includes(name) || chosen.includes(name)),
      ),
    )
}

const words = (least: number): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('hello', 'a b', 'ask', 'write c.txt c', 'x') },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: least, maxLength: 40 }).map(harmless) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(' ', '\u202e', '𝕳𝖎', 'e\u0301', '\ud800', '﷽', 'a\u0000b', '\r\n', '%s%n'),
    },
  )

// Nothing that looks for the check of paths as if the server had said it.
const harmless = (text: string): string => text.replaceAll('/', '|').replaceAll('«', '<') || 'x'

const byName: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  directory: fc.oneof(
    { weight: 6, arbitrary: fc.nat(5).map((i) => `«Directory:${i}»`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('/', '/etc', '..', '~', 'a', '«Directory:0»/../..', '«Directory:0»/nothing'),
    },
  ),
  agent: fc.constantFrom('script', 'script', 'offline', 'nobody'),
  cron: fc.constantFrom(
    '0 0 1 1 *',
    '0 0 1 1 *',
    '5 4 29 2 *',
    '@yearly',
    'nonsense',
    '* * * * * * *',
    '0 0 31 2 *',
  ),
  zone: fc.constantFrom('Europe/Berlin', 'UTC', 'Mars/Base', '+25:00'),
  at: fc.constantFrom(4_000_000_000_000, 4_100_000_000_000, 8_640_000_000_000_000, 0, 1),
  nativeID: fc.constantFrom('script-0', 'script-1', '../../etc', 'nothing'),
  key: fc.nat(3).map((i) => `key ${i}`),
  call: fc.constantFrom('nothing', crypto.randomUUID()),
  session: fc.array(idOf('SessionID'), { minLength: 1, maxLength: 3 }).map((ids) => ids.join(',')),
  // Shortened by people.
  id: fc.oneof(
    fc.constantFrom('0', '01', 'zz', '«SessionID:0»', '«ScheduleID:0»', '«PermissionID:0»', '«SnapshotID:0»'),
  ),
  message: fc.constantFrom('0', '«MessageID:1»', '«MessageID:5»', 'zz', 'hello'),
}
