import type { RunFiles } from '../../tree/files-mode.ts'
import type { SessionID } from '../../tree/ids.ts'
import type { Prompt, RunningTurn } from '../../turns/running-turn.ts'
import type { ForkParts } from '../fork-options.ts'

/** What forks that come back stand on. */
export interface SideParts extends ForkParts {
  /** The person's time zone, as an IANA name. */
  readonly zone: string
  readonly turns: TurnRunner
  /** Background runs that may go on at once. */
  readonly limit: number
  /** Minutes until the agent of an interactive fork is asked whether somebody is still there. */
  readonly idleTimeout: number
  /** What a background run does about files where nobody says. */
  readonly backgroundFiles: RunFiles
}

export interface TurnRunner {
  send(sessionID: SessionID, prompt: Prompt, signal: AbortSignal): Promise<RunningTurn>
  abort(sessionID: SessionID): Promise<boolean>
}
