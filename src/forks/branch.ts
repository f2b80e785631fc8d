import { livingSession } from '../store/find.ts'
import type { Store } from '../store/store.ts'
import { BoughError } from '../tree/error.ts'
import type { Clock, Ids, SessionID } from '../tree/ids.ts'
import type { Session } from '../tree/session.ts'
import { forkTitle } from '../tree/title.ts'
import { forkPointOf, type WantedPoint } from './fork-point.ts'

export interface BranchOptions extends WantedPoint {
  readonly title?: string
  readonly agent?: string
  readonly model?: string
}

/** Forks a session into one that stays on its own. It is one new row: nothing is copied, and a kill leaves no half of it. */
export function branch(
  { store, ids, clock }: { store: Store; ids: Ids; clock: Clock },
  parentID: SessionID,
  options: BranchOptions,
): Promise<Session> {
  return store.transaction(async (tx) => {
    const parent = await livingSession(tx, parentID)
    const id = ids.session()
    await tx.sessions.insert({
      id,
      parentID,
      forkPoint: await forkPointOf(tx, parent, options),
      title: options.title ?? forkTitle(parent.title),
      titled: options.title !== undefined,
      agent: options.agent ?? parent.agent,
      model:
        options.model ??
        (options.agent === undefined || options.agent === parent.agent ? parent.model : null),
      directory: parent.directory,
      kind: 'branch',
      labels: parent.labels,
      created: clock(),
    })
    tx.record({ kind: 'session.created', sessionID: id })
    const made = await tx.sessions.get(id)
    if (!made) throw new BoughError('not_found', `The fork ${id} was not stored. Try again.`)
    return made
  })
}
