import { livingSession } from '../store/find.ts'
import type { MessageID, SessionID } from '../tree/ids.ts'
import type { Restored } from '../tree/restore.ts'
import { mustHaveDirectory } from '../turns/must-have-directory.ts'
import { chooseFiles } from './choose-files.ts'
import { forkPointOf } from './fork-point.ts'
import { type PutBackParts, planToPutBack, putBack } from './put-back.ts'

export interface RestoreOptions {
  /** Absent: the head. */
  readonly messageID?: MessageID
  /** Only tells what it would do. */
  readonly dryRun?: boolean
}

/** Puts a session's files back, in place, to those that a fork at a message would put back there. */
export async function restore(
  parts: PutBackParts,
  sessionID: SessionID,
  { messageID, dryRun = false }: RestoreOptions,
): Promise<Restored> {
  const session = await livingSession(parts.store, sessionID)
  await mustHaveDirectory(session)
  const at = await forkPointOf(parts.store, session, messageID === undefined ? {} : { messageID })
  const { point, notices } = await chooseFiles(parts, session, at, 'restore')
  if (!point) throw new Error('restore needs the files of the message.')
  const { directory } = session
  const restored = dryRun
    ? await planToPutBack(parts, directory, point.snapshot)
    : (await putBack(parts, directory, point.snapshot, { whenDone: async () => {} })).restored
  return { ...restored, notices }
}
