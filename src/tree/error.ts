/** Every way bough can say no. Stable: scripts and HTTP clients match on these. */
export const errorCodes = [
  'bad_input',
  'not_found',
  'ambiguous_id',
  'not_on_line',
  'message_unfinished',
  'session_busy',
  'ownership_lost',
  'closed',
  'directory_gone',
  'file_unreadable',
  'agent_unknown',
  'agent_failed',
  'sandbox_unavailable',
  'fork_unsupported',
  'fork_open',
  'fork_ended',
  'native_missing',
  'native_unreadable',
  'permission_answered',
  'not_allowed',
  'config_invalid',
  'document_invalid',
  'output_unwritable',
  'store_busy',
  'store_damaged',
  'store_newer',
  'store_unwritable',
  'disk_full',
  'discord_refused',
  'git_missing',
  'snapshot_failed',
  'worktree_failed',
  'restore_failed',
  'unauthorized',
  'forbidden',
  'outside_workspaces',
  'too_large',
  'unsupported_media',
  'method_not_allowed',
  'too_slow',
  'too_many_turns',
  'stopping',
  'server_unreachable',
  'server_failed',
] as const

export type ErrorCode = (typeof errorCodes)[number]

/** The message is for a person and says what to do; `code` is for programs. */
export class BoughError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'BoughError'
    this.code = code
  }
}

export const hasCode = (error: unknown, code: ErrorCode): error is BoughError =>
  error instanceof BoughError && error.code === code

/** What an error says; whatever else was thrown, as text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
