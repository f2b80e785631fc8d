import { getSystemErrorMessage } from 'node:util'

/** Why something failed, in plain words, with the system's code where it has one. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('errno' in error && typeof error.errno === 'number' && 'code' in error) {
    return `${getSystemErrorMessage(error.errno)} (${error.code})`
  }
  return error.message
}
