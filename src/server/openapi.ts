import * as z from 'zod/mini'
import { hasBody, hasEvents, hasResult, type Route, statusOf } from '../wire/route.ts'
import { routes } from '../wire/routes.ts'
import { named } from '../wire/schema/names.ts'
import { problem } from '../wire/schema/problem.ts'

type Json = { readonly [key: string]: unknown }

const description = `Fork conversations with AI agents at any message, and bring the result back.

Who accepts \`text/event-stream\` and has to wait for long gets a stream instead of the answer: its last event is \`result\` with what
the answer would be, or \`problem\`.`

/** The OpenAPI 3.1 document, made of the schemas that validate. */
export function openapi(version: string): Json {
  const schemas = new Schemas()
  const paths: Record<string, Json> = {}
  for (const [name, route] of Object.entries<Route>(routes))
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operation(schemas, name, route),
    }
  return {
    openapi: '3.1.0',
    info: {
      title: 'bough',
      version,
      description,
    },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: schemas.components,
    },
  }
}

function operation(schemas: Schemas, name: string, route: Route): Json {
  return {
    operationId: name,
    summary: route.about,
    ...(route.needsNoToken && { security: [] }),
    parameters: [
      ...parameters(schemas, 'path', route.params),
      ...parameters(schemas, 'query', route.query),
      ...(route.resumes ? [lastEventID] : []),
    ],
    ...(hasBody(route) && {
      requestBody: {
        required: !route.bodyIsOptional,
        content: { 'application/json': { schema: route.bodyIsText ? {} : schemas.of(route.body, 'input') } },
      },
    }),
    responses: {
      ...(!isStream(route) && {
        [statusOf(route)]: {
          description: 'It is done',
          ...(route.isPaged && { headers: { Link: nextPage } }),
          ...contentOf(schemas, route),
        },
      }),
      ...(hasEvents(route) &&
        statusOf(route) !== 200 && { 200: { description: 'Events', content: eventsOf(schemas, route) } }),
      default: {
        description: 'It is not: `code` says why for programs, `detail` for people',
        content: { 'application/problem+json': { schema: schemas.of(problem, 'output') } },
      },
    },
  }
}

const lastEventID = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The id of the last event that was seen: what came after it comes first',
  schema: { type: 'integer', minimum: 0 },
}

const nextPage = {
  description: 'Where the next page is, as `<path>; rel="next"`; absent on the last one',
  schema: { type: 'string' },
}

/** Nothing but events can be got there. */
const isStream = (route: Route): boolean => hasEvents(route) && !hasResult(route)

function contentOf(schemas: Schemas, route: Route): { content?: Json } {
  const { result, type } = route
  const content = {
    ...(hasResult(route) && { 'application/json': { schema: schemas.of(result, 'output') } }),
    ...(type && { [type]: { schema: { type: 'string' } } }),
    ...(hasEvents(route) && statusOf(route) === 200 && eventsOf(schemas, route)),
  }
  return Object.keys(content).length === 0 ? {} : { content }
}

const eventsOf = (schemas: Schemas, { events }: Route): Json => ({
  'text/event-stream': { schema: schemas.of(events, 'output') },
})

function parameters(schemas: Schemas, where: 'path' | 'query', object: z.ZodMiniType): readonly Json[] {
  if (!(object instanceof z.ZodMiniObject)) return []
  return Object.entries(object.shape).map(([name, schema]) => ({
    name,
    in: where,
    // What may be left out need not take undefined.
    required: schema._zod.optin !== 'optional',
    schema: schemas.of(schema, 'output'),
  }))
}

/** JSON Schemas of ours. Those that have a name are referred to by it, and gathered. */
class Schemas {
  readonly components: Record<string, Json> = {}

  of(schema: z.core.$ZodType, io: 'input' | 'output'): Json {
    const made = z.toJSONSchema(z.object({ schema }), { metadata: named, io, override: describe })
    const { properties, $defs } = inPlace(made)
    Object.assign(this.components, $defs)
    return properties.schema
  }
}

// Only names are in our own registry: what schemas say of themselves zod keeps elsewhere.
function describe({ zodSchema, jsonSchema }: Overridden): void {
  const { description } = z.globalRegistry.get(zodSchema) ?? {}
  if (description !== undefined) jsonSchema.description = description
}

type Overridden = Parameters<NonNullable<z.core.ToJSONSchemaParams['override']>>[0]

const shape = z.object({
  properties: z.object({ schema: z.record(z.string(), z.unknown()) }),
  $defs: z.exactOptional(z.record(z.string(), z.record(z.string(), z.unknown()))),
})

const inPlace = (made: unknown): z.output<typeof shape> =>
  shape.parse(JSON.parse(JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/')))
