import { BoughError, hasCode, messageOf } from '../tree/error.ts'
import { plainLine } from '../tree/plain-text.ts'
import type { ExitCode } from './command.ts'
import { systemErrorWords } from './system-error.ts'
import { UsageError } from './usage-error.ts'

export interface Failure {
  readonly line: string
  readonly exitCode: ExitCode
}

/** One line for a person, whatever went wrong. */
export function failureOf(error: unknown, env: NodeJS.ProcessEnv): Failure {
  const message = plainLine(messageOf(error)) + adviceFor(error)
  const stack = env.BOUGH_DEBUG && error instanceof Error ? `\n${stackOf(error)}` : ''
  if (error instanceof UsageError) return { line: `bough: ${message}${stack}`, exitCode: 2 }
  if (error instanceof BoughError)
    return { line: `bough: ${message}${stack}`, exitCode: error.code === 'bad_input' ? 2 : 1 }
  if (error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd') {
    return { line: 'bough: This directory is gone. Change to one that exists, then try again.', exitCode: 1 }
  }
  const words = systemErrorWords(error)
  if (words !== null) return { line: `bough: ${plainLine(words)}${stack}`, exitCode: 1 }
  const hint = stack === '' ? ' (unexpected; BOUGH_DEBUG=1 shows where)' : stack
  return { line: `bough: ${message}${hint}`, exitCode: 1 }
}

// A server does not know how one of its clients is told things.
const adviceFor = (error: unknown): string =>
  hasCode(error, 'unauthorized') && !error.message.includes('BOUGH_TOKEN')
    ? ' Set BOUGH_TOKEN to it, or name its file with --token-file FILE.'
    : hasCode(error, 'outside_workspaces')
      ? ' Directories are those of the machine that the server runs on.'
      : ''

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : ''
  return `${error.stack ?? error.message}${cause}`
}
