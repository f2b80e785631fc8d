import { cutToCells } from '../../tree/drawn/cells.ts'
import { shortID } from '../../tree/ids.ts'
import { plainLine } from '../../tree/plain-text.ts'
import type { Session } from '../../tree/session.ts'
import type { Context } from '../context.ts'

const widestTitle = 30

/** What stands before the line that is typed: where it goes. */
export const promptOf = ({ out }: Context, session: Session): string =>
  `${out.paint('bold', cutToCells(plainLine(session.title), widestTitle))} ${out.paint('dim', shortID(session.id))}> `
