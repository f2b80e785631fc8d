import { type SandboxMode, sandboxModes } from '../tree/sandbox.ts'
import type { Arguments } from './arguments.ts'
import { UsageError } from './usage-error.ts'

/** What `--sandbox` says, for the options of whatever is begun. */
export function sandboxWish(args: Pick<Arguments, 'value'>): { readonly sandbox?: SandboxMode } {
  const typed = args.value('sandbox')
  if (typed === undefined) return {}
  const sandbox = sandboxModes.find((mode) => mode === typed)
  if (sandbox) return { sandbox }
  throw new UsageError(`--sandbox must be ${sandboxModes.join(', ')}, not "${typed}".`)
}
