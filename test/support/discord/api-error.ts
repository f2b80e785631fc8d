import { RESTJSONErrorCodes } from 'discord-api-types/v10'
import type { z } from 'zod'

/** What Discord refuses: a status, its own code, and for a form what is wrong where. */
export class ApiError extends Error {
  readonly status: number
  readonly code: number
  readonly errors: object | undefined

  constructor(status: number, code: number, message: string, errors?: object) {
    super(message)
    this.status = status
    this.code = code
    this.errors = errors
  }

  get body(): object {
    return { message: this.message, code: this.code, ...(this.errors && { errors: this.errors }) }
  }
}

export const unknown = (code: number, what: string): ApiError => new ApiError(404, code, `Unknown ${what}`)

/** `path` is where in the body: `embeds.0.title`. */
export function invalidForm(path: string, code: string, message: string): ApiError {
  const found: object = { _errors: [{ code, message }] }
  const errors = path.split('.').reduceRight((inner, key) => ({ [key]: inner }), found)
  return new ApiError(400, RESTJSONErrorCodes.InvalidFormBodyOrContentType, 'Invalid Form Body', errors)
}

export function tooLong(path: string, most: number): ApiError {
  return invalidForm(path, 'BASE_TYPE_MAX_LENGTH', `Must be ${most} or fewer in length.`)
}

export function badLength(path: string, most: number): ApiError {
  return invalidForm(path, 'BASE_TYPE_BAD_LENGTH', `Must be between 1 and ${most} in length.`)
}

export function parsed<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body)
  if (result.success) return result.data
  if (body === undefined)
    throw new ApiError(
      400,
      RESTJSONErrorCodes.RequestBodyContainsInvalidJSON,
      'The request body contains invalid JSON.',
    )
  const issue = result.error.issues[0]
  throw invalidForm(issue?.path.join('.') ?? '', 'BASE_TYPE_CHOICES', issue?.message ?? 'Invalid.')
}
