import { BoughError } from '../tree/error.ts'
import type { ExitCode } from './command.ts'
import { plainLine } from './plain-text.ts'
import { UsageError } from './usage-error.ts'

export interface Failure {
  readonly line: string
  readonly exitCode: ExitCode
}

/** One line for a person, whatever went wrong. */
export function failureOf(error: unknown, env: NodeJS.ProcessEnv): Failure {
  const message = plainLine(error instanceof Error ? error.message : String(error))
  const stack = env.BOUGH_DEBUG && error instanceof Error ? `\n${stackOf(error)}` : ''
  if (error instanceof UsageError) return { line: `bough: ${message}${stack}`, exitCode: 2 }
  if (error instanceof BoughError)
    return { line: `bough: ${message}${stack}`, exitCode: error.code === 'bad_input' ? 2 : 1 }
  if (error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd') {
    return { line: 'bough: This directory is gone. Change to one that exists, then try again.', exitCode: 1 }
  }
  const hint = stack === '' ? ' (unexpected; BOUGH_DEBUG=1 shows where)' : stack
  return { line: `bough: ${message}${hint}`, exitCode: 1 }
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : ''
  return `${error.stack ?? error.message}${cause}`
}
