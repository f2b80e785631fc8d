import { BoughError, type ErrorCode } from '../../../../src/tree/error.ts'
import { waitFor } from '../harm.ts'
import type { Complain } from '../kept-process.ts'
import type { Said } from '../said.ts'

/** Somebody who uses bough in one way, and does anything at any time. */
export interface Person {
  readonly name: string
  readonly acts: readonly Act[]
}

export interface Act {
  readonly name: string
  /** Compared with the others. */
  readonly often: number
  run(): Promise<unknown>
}

/** What people share. */
export interface Surroundings {
  readonly said: Said
  readonly random: () => number
  readonly complain: Complain
  /** So much waits to be done that nobody would go on before some of it is. */
  isCrowded(): Promise<boolean>
}

export interface Lane {
  readonly name: string
  /** What they are in the middle of. */
  doing: string
  ended: Promise<void>
}

/** Lets somebody act until it is over. What is refused for a good reason is no fault; all else is told. */
export function letAct(person: Person, around: Surroundings, pace: number, over: AbortSignal): Lane {
  const { said, random, complain } = around
  const lane = { name: person.name, doing: '', ended: Promise.resolve() }
  const go = async () => {
    while (!over.aborted) {
      const act = anyAct(random, person.acts)
      lane.doing = act.name
      try {
        await act.run()
        said.count(`${person.name}: ${act.name}`)
      } catch (error) {
        const code = refusalOf(error)
        if (code === null)
          complain(`${person.name}, ${act.name}: ${error instanceof Error ? error.stack : error}`)
        else said.count(`refused: ${code}`)
      }
      do await waitFor(random() * 2 * pace, over)
      while (!over.aborted && (await around.isCrowded()))
    }
  }
  lane.ended = go()
  return lane
}

function anyAct(random: () => number, acts: readonly Act[]): Act {
  let at = random() * acts.reduce((sum, { often }) => sum + often, 0)
  for (const act of acts) {
    at -= act.often
    if (at < 0) return act
  }
  throw new Error('There is nothing to do.')
}

/** What people do meets what others do, and processes that are killed. */
const refusals: readonly ErrorCode[] = [
  'fork_open',
  'fork_ended',
  'not_found',
  'session_busy',
  'message_unfinished',
  'permission_answered',
  'ownership_lost',
  'closed',
  'stopping',
  'server_unreachable',
]

const refusalOf = (error: unknown): ErrorCode | null =>
  error instanceof BoughError && refusals.includes(error.code) ? error.code : null
