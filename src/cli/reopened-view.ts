import { shortID } from '../tree/ids.ts'
import { textOf } from '../tree/message.ts'
import type { NativeMessage, Reopened } from '../tree/native.ts'
import { plainText } from '../tree/plain-text.ts'
import type { Session } from '../tree/session.ts'
import { type MessageViewOptions, showMessage } from './message-view.ts'

/** So much of a seed is enough to know it by. */
export const mostOfSeed = 300

export interface ReopenedViewOptions extends MessageViewOptions {
  /** At most so many characters of each message of a seed. */
  readonly most: number
}

/** What opening a session again has brought to light, but for the messages that joined it. */
export function reopenedLines(
  { id, agent }: Session,
  { seed, branchID, missing }: Reopened,
  { most, ...view }: ReopenedViewOptions,
): readonly string[] {
  const { paint } = view
  const lines: string[] = []
  if (seed.length > 0) {
    lines.push(paint('dim', `── the seed, as ${agent}'s own history has it ──`))
    for (const message of seed) lines.push(`${showMessage(shortened(message, most, id), view)}\n`)
    lines.push(paint('dim', '── end of the seed ──'))
  }
  if (branchID !== null) {
    const words = `This session was rewound in ${agent}'s own tool. What was said there since is in ${shortID(branchID)}.`
    lines.push(paint('yellow', words))
  }
  if (missing !== null) lines.push(paint('yellow', plainText(missing)))
  return lines
}

function shortened(message: NativeMessage, most: number, sessionID: string): NativeMessage {
  const text = textOf(message.parts)
  if (text.length <= most) return message
  const rest = (text.length - most).toLocaleString('en')
  const words = `${text.slice(0, most)} … and ${rest} characters more: "bough log --seed ${shortID(sessionID)}" shows all.`
  return { ...message, parts: [{ type: 'text', text: words }] }
}
