import { shortID } from '../../tree/ids.ts'
import { textOf } from '../../tree/message.ts'
import type { Reopened } from '../../tree/native.ts'
import type { Session } from '../../tree/session.ts'

/** What the person is told when a session is opened again. */
export interface ReopenedNotes {
  /** On how it was given the line before it: they stand where its own messages begin. */
  readonly atBeginning: readonly string[]
  readonly warnings: readonly string[]
}

/** So much of a seed is enough to know it by. */
const mostOfSeed = 300

/** What went on in the agent's own tool meanwhile; and the seed, which nobody saw when it was sent. */
export function reopenedNotes(
  { agent, created }: Session,
  { branchID, missing, seed }: Reopened,
  openedAt: number,
): ReopenedNotes {
  const [prompt, ...answers] = seed.map(({ parts }) => textOf(parts))
  const told = `The seed, as ${agent}'s own history has it: ${beginningOf(prompt ?? '')}`
  return {
    atBeginning: seed.length > 0 && created < openedAt ? [told, `${agent} said: ${answers.join('\n')}`] : [],
    warnings: [
      ...(branchID === null
        ? []
        : [`This session was rewound in ${agent}'s own tool: see ${shortID(branchID)}.`]),
      ...(missing === null ? [] : [missing]),
    ],
  }
}

const beginningOf = (text: string): string =>
  text.length <= mostOfSeed
    ? text
    : `${text.slice(0, mostOfSeed)} … and ${(text.length - mostOfSeed).toLocaleString('en')} characters more`
