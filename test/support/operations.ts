import * as z from 'zod/mini'

/** What of JSON Schema the server's own description uses. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly description?: string
}

const schema = z.custom<Schema>((value) => typeof value === 'object' && value !== null)

const document = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        security: z.optional(z.array(z.unknown())),
        parameters: z.array(z.object({ name: z.string(), in: z.enum(['path', 'query', 'header']), schema })),
        responses: z.record(z.string(), z.object({ headers: z.optional(z.record(z.string(), z.unknown())) })),
        requestBody: z.optional(
          z.object({ content: z.object({ 'application/json': z.object({ schema }) }) }),
        ),
      }),
    ),
  ),
  components: z.object({ schemas: z.record(z.string(), schema) }),
})

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly schema: Schema
}

/** One thing that can be asked of the server. */
export interface Operation {
  readonly name: string
  readonly method: string
  /** With names in braces. */
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body: Schema | null
  readonly needsToken: boolean
  /** The answer names the next page. */
  readonly isPaged: boolean
}

export interface Described {
  readonly operations: readonly Operation[]
  readonly schemas: Readonly<Record<string, Schema>>
}

/** What a server says that it can be asked. */
export async function operationsOf({
  url,
  token,
}: {
  readonly url: string
  readonly token: string
}): Promise<Described> {
  const response = await fetch(`${url}/openapi.json`, { headers: { authorization: `Bearer ${token}` } })
  const { paths, components } = document.parse(await response.json())
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId, security, parameters, responses, requestBody }]) => ({
        name: operationId,
        method: method.toUpperCase(),
        path,
        parameters,
        body: requestBody?.content['application/json'].schema ?? null,
        needsToken: security === undefined,
        isPaged: responses['200']?.headers?.Link !== undefined,
      }),
    ),
  )
  return { operations, schemas: components.schemas }
}

/** The name of the kind of id that a schema is for; null for anything else. */
export function idIn({ $ref, anyOf }: Schema): string | null {
  const name = $ref?.split('/').at(-1)
  if (name?.endsWith('ID')) return name
  return anyOf?.map(idIn).find((found) => found !== null) ?? null
}

/** A path with its names replaced; what is not given stays as it is. */
export const pathWith = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
