import * as z from 'zod/mini'

/** An array that nobody writes to, as the tree has them: so what the tree gives is what the schema takes, and the other way. */
export const list = <S extends z.core.SomeType>(
  element: S,
): z.ZodMiniType<readonly z.output<S>[], readonly z.input<S>[]> => z.array(element)
