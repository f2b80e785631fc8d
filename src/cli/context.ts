import { isatty } from 'node:tty'
import type { Bough } from '../bough.ts'
import { findHome, type Home } from '../home.ts'
import { BoughError } from '../tree/error.ts'
import type { Arguments } from './arguments.ts'
import type { Output } from './output.ts'
import { withProgress } from './progress.ts'

/** What a command is given: its arguments, where to read and write, and bough itself once it asks for it. */
export interface Context {
  readonly args: Arguments
  readonly stdin: NodeJS.ReadStream
  readonly out: Output
  readonly err: Output
  readonly env: NodeJS.ProcessEnv
  readonly home: Home
  /** Somebody sits there who can be asked. */
  readonly interactive: boolean
  directory(): string
  open(): Promise<Bough>
}

/** `close` ends what `open` began; a command that never opens bough costs nothing. */
export function createContext(
  args: Arguments,
  out: Output,
  err: Output,
): { context: Context; close(): Promise<void> } {
  const { env } = process
  const home = findHome(env)
  let opened: Promise<Bough> | undefined

  const openOnce = async (): Promise<Bough> => {
    const { openBough } = await import('../open-bough.ts')
    return openBough(home)
  }
  const context: Context = {
    args,
    get stdin() {
      return process.stdin
    },
    out,
    err,
    env,
    home,
    interactive: isatty(0) && err.isTerminal && !env.BOUGH_AGENT,
    directory: currentDirectory,
    open: () => {
      opened ??= withProgress(err, 'opening the store', openOnce())
      return opened
    },
  }
  const close = async (): Promise<void> => {
    // One that could not be opened has nothing to close: its error was already told.
    const bough = await opened?.catch(() => undefined)
    if (bough) await withProgress(err, 'closing', bough.close())
  }
  return { context, close }
}

function currentDirectory(): string {
  try {
    return process.cwd()
  } catch (cause) {
    throw new BoughError(
      'directory_gone',
      'This directory is gone. Change to one that exists, or name one with --dir.',
      {
        cause,
      },
    )
  }
}
