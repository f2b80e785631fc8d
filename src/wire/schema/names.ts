import * as z from 'zod/mini'

/** The schemas that have a name of their own in the API description: elsewhere they are referred to by it. */
export const named = z.registry<{ id: string }>()

/** Gives a schema its name. */
export function component<S extends z.core.$ZodType>(id: string, schema: S): S {
  named.add(schema, { id })
  return schema
}
