import { isInsideAgent } from '../agent-ancestry.ts'
import { BoughError } from '../tree/error.ts'
import type { Arguments } from './arguments.ts'
import type { Command } from './command.ts'

/** Throws where an agent asks for what only a person may do. Parents are looked at only where it matters: that takes time. */
export function refuseAgents({ name, personOnly }: Command, args: Arguments, env: NodeJS.ProcessEnv): void {
  const part = typeof personOnly === 'function' ? personOnly(args) : personOnly ? '' : null
  if (part === null || !isInsideAgent(env)) return
  throw new BoughError(
    'not_allowed',
    `An agent may not use "${['bough', name, part].filter((word) => word !== '').join(' ')}": a person has to, in a terminal of their own.`,
  )
}
