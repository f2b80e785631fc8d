import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type * as z from 'zod/mini'
import { BoughError, type ErrorCode } from '../tree/error.ts'
import type { HidePaths } from './hidden-paths.ts'

/** Problem details as RFC 9457 has them. `code` is stable; `detail` is for a person. */
export interface Problem {
  readonly type: 'about:blank'
  readonly title: string
  readonly status: ContentfulStatusCode
  readonly code: ErrorCode
  readonly detail: string
  /** What is wrong with the request, field by field. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[]
}

/** A request that does not fit the route's schemas. */
export class RequestError extends BoughError {
  readonly errors: NonNullable<Problem['errors']>

  constructor(where: string, issues: readonly z.core.$ZodIssue[]) {
    const errors = issues.map(({ path, message }) => ({ path: [where, ...path].join('.'), message }))
    super('bad_input', `The request does not fit: ${errors[0]?.path}: ${errors[0]?.message}.`)
    this.errors = errors
  }
}

// What the caller can mend is 4xx; what is in the way just now is 409, since asking again later may do.
const statuses: Readonly<Record<ErrorCode, ContentfulStatusCode>> = {
  bad_input: 400,
  ambiguous_id: 400,
  not_on_line: 400,
  document_invalid: 400,
  agent_unknown: 400,
  unauthorized: 401,
  forbidden: 403,
  not_allowed: 403,
  outside_workspaces: 403,
  not_found: 404,
  too_slow: 408,
  message_unfinished: 409,
  session_busy: 409,
  ownership_lost: 409,
  closed: 409,
  directory_gone: 409,
  fork_unsupported: 409,
  fork_open: 409,
  fork_ended: 409,
  native_missing: 409,
  native_unreadable: 409,
  permission_answered: 409,
  git_missing: 409,
  file_unreadable: 409,
  sandbox_unavailable: 409,
  snapshot_failed: 409,
  worktree_failed: 409,
  restore_failed: 409,
  method_not_allowed: 405,
  too_large: 413,
  unsupported_media: 415,
  too_many_turns: 429,
  server_failed: 500,
  config_invalid: 500,
  output_unwritable: 500,
  store_damaged: 500,
  store_newer: 500,
  agent_failed: 502,
  discord_refused: 502,
  server_unreachable: 502,
  store_busy: 503,
  store_unwritable: 503,
  stopping: 503,
  disk_full: 507,
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  408: 'Request timeout',
  409: 'Conflict',
  405: 'Method not allowed',
  413: 'Content too large',
  415: 'Unsupported media type',
  429: 'Too many requests',
  500: 'Internal server error',
  502: 'Bad gateway',
  503: 'Service unavailable',
  507: 'Insufficient storage',
}

/** What a caller is told of something that went wrong: never a stack, and never where the server keeps its own things. */
export async function problemOf(error: unknown, hide: HidePaths): Promise<Problem> {
  if (!(error instanceof BoughError)) return unexpected()
  const errors = error instanceof RequestError ? { errors: error.errors } : {}
  return { ...plainProblem(error.code, await hide(error.message)), ...errors }
}

/** From words that tell nothing of the server's own. */
export function plainProblem(code: ErrorCode, detail: string): Problem {
  const status = statuses[code]
  return { type: 'about:blank', title: titles[status] ?? 'Error', status, code, detail }
}

export const unexpected = (): Problem =>
  plainProblem('server_failed', 'Something unexpected went wrong in the server; its log says what.')
