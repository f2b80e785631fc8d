import { BoughError } from '../tree/error.ts'

/** An agent must not grant itself anything: its environment marks it. */
export function refuseAgents(env: NodeJS.ProcessEnv, command: string): void {
  if (!env.BOUGH_AGENT) return
  throw new BoughError(
    'not_allowed',
    `An agent may not use "bough ${command}": a person has to, in a terminal of their own.`,
  )
}
