import type { ForkOptions } from '../../bough.ts'
import type { FilesChoice } from '../../tree/files-mode.ts'
import type { Session } from '../../tree/session.ts'
import type { StatusQuery } from '../../tree/session-status.ts'
import type { Beginning } from '../backtrack/look-back.ts'

/** What the person wants of a fork, as the dialog has it. */
export interface Wish {
  readonly agent: string
  /** As it was typed; empty for what the session, or the agent, has by itself. */
  readonly model: string
  readonly title: string
  /** Null until somebody knows what can be had. */
  readonly files: FilesChoice | null
}

/** Where a fork begins, in the words of `Bough`; nothing for the head. */
export const pointOf = (beginning: Beginning | null): Pick<ForkOptions, 'messageID' | 'before'> =>
  beginning ? { messageID: beginning.messageID, before: beginning.before } : {}

/** Whom a fork is for; what is as in the forked session is not named. */
export function targetOf(session: Session, { agent, model }: Wish): Pick<StatusQuery, 'agent' | 'model'> {
  const typed = model.trim()
  return { ...(agent !== session.agent && { agent }), ...(typed !== '' && { model: typed }) }
}

/** All that a fork is asked for. */
export function forkOptionsOf(session: Session, beginning: Beginning | null, wish: Wish): ForkOptions {
  const title = wish.title.trim()
  return {
    ...pointOf(beginning),
    ...targetOf(session, wish),
    ...(title !== '' && { title }),
    ...(wish.files && { files: wish.files }),
  }
}
