import type { Incoming } from '../../../tree/inbox.ts'
import { scheduled } from '../../../tree/prompts.ts'
import type { TurnEnd } from '../../../tree/turn.ts'
import { channelOfDesk, type Desk, runTurnWhere } from './desk.ts'

/** A routine or reminder whose prompt goes to main. */
export async function schedule(desk: Desk, what: Extract<Incoming, { kind: 'schedule' }>): Promise<TurnEnd> {
  const { parts } = desk
  const kind = (await parts.store.schedules.get(what.scheduleID))?.kind ?? 'reminder'
  const notes = [scheduled(kind, what.due, parts.zone)]
  return runTurnWhere(desk, async () => ({
    sessionID: (await channelOfDesk(desk)).mainID,
    text: what.prompt,
    author: 'schedule',
    notes,
  }))
}
