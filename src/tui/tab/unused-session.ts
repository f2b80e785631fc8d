import type { Bough } from '../../bough.ts'
import type { Session } from '../../tree/session.ts'

/** Removes a session that was made for a tab, where nobody said anything in it, named it or forked it meanwhile. */
export async function removeIfUnused(bough: Bough, made: Session): Promise<void> {
  const now = await bough.session(made.id)
  const isAsMade = now.messages === 0 && now.state === 'idle' && now.title === made.title
  if (isAsMade && now.labels.length === 0 && (await bough.children(made.id)).length === 0)
    await bough.remove(made.id)
}
