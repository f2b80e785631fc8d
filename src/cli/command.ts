import type { Arguments } from './arguments.ts'
import type { Context } from './context.ts'

/** 0 fine, 1 failed, 2 wrong use, 128 + n ended by signal n. */
export type ExitCode = number

/** A command as data: help, usage errors and completion are all made from it. */
export interface Command {
  readonly name: string
  readonly summary: string
  /** What its help says besides; whole lines. */
  readonly details?: string
  /**
   * Whether agents are refused when they run it in their shells: they may look at everything, begin sessions and fork them, but
   * neither decide, nor speak, nor delete for the person. A function returns the part that is refused, '' for the whole; or null.
   */
  readonly personOnly: boolean | ((args: Arguments) => string | null)
  readonly positionals: readonly Positional[]
  readonly options: readonly Option[]
  /** Added to the error when more words were given than it takes. */
  readonly tooMany?: string
  load(): Promise<CommandModule>
}

export interface CommandModule {
  run(context: Context): Promise<ExitCode>
}

export interface Positional {
  readonly name: string
  /** As the usage line shows it. */
  readonly label: string
  readonly required: boolean
  readonly several?: boolean
  /** What completion offers here. */
  readonly suggests?: 'sessions' | readonly string[]
}

export interface Option {
  readonly name: string
  readonly short?: string
  /** How help names its value; an option without one is a switch. */
  readonly value?: string
  /** The values that completion offers. */
  readonly suggests?: readonly string[]
  readonly description: string
}
