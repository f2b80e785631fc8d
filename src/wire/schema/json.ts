import * as z from 'zod/mini'
import type { Json } from '../../tree/message.ts'
import { component } from './names.ts'

/**
 * Any JSON. What was parsed from JSON is taken as it is: walking through it would be slow, would end at some depth, and would
 * lose a key that is called `__proto__`.
 */
export const json = component(
  'Json',
  z.custom<Json>((value) => value !== undefined),
)
json._zod.toJSONSchema = () => ({ description: 'Any JSON value.' })
