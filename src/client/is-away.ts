import { BoughError, type ErrorCode } from '../tree/error.ts'

const away: readonly ErrorCode[] = ['server_unreachable', 'stopping']

/** What passes: also a proxy that answers for a server that starts, and a store that cannot be read just now. */
const passing: readonly ErrorCode[] = [
  'server_failed',
  'store_busy',
  'store_unwritable',
  'disk_full',
  'too_slow',
]

/**
 * Whether it is worth while to come back later. One that has worked before may fail for a while, or something else answers
 * in its place; one that never has is no bough, or of another version.
 */
export function isAway(error: unknown, hasWorked: boolean): boolean {
  if (!(error instanceof BoughError)) return hasWorked && error instanceof SyntaxError
  return away.includes(error.code) || (hasWorked && passing.includes(error.code))
}
