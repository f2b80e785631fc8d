import { plainLine } from '../../tree/plain-text.ts'
import type { Session } from '../../tree/session.ts'
import { cut } from '../screen/frame.ts'

/** How a session is called in a sentence, in at most so many cells. */
export const sessionName = ({ title }: Session, columns = Number.POSITIVE_INFINITY): string =>
  `“${cut(plainLine(title), columns - 2)}”`
