import type { Transaction } from '../store/store.ts'
import type { Ids, SessionID } from '../tree/ids.ts'
import type { Message, MessageStatus, NewMessage, ToolCallPart } from '../tree/message.ts'
import { cutOffOutput } from '../tree/stand-in-output.ts'
import { openCallsAfter } from '../tree/tool-group.ts'
import type { TurnEnd, TurnRecord } from '../tree/turn.ts'
import type { Usage } from '../tree/usage.ts'
import { addMessages } from './add-messages.ts'

export interface Closing {
  readonly ids: Ids
  readonly now: number
  /** Of the agent's own history, where it told. */
  readonly lastEntry?: string | null
  /** What was spent and is booked on no message yet. */
  readonly rest?: Usage | null
}

/**
 * Ends a turn in the tree: what was said so far joins it, calls without a result get one, and a turn that did not
 * finish says why. The same for a turn that ends here and for one that a dead process left.
 */
export async function closeTurn(
  tx: Transaction,
  turn: TurnRecord,
  end: TurnEnd,
  { ids, now, lastEntry = null, rest = null }: Closing,
): Promise<readonly Message[]> {
  const prompt = await tx.messages.get(turn.promptID)
  const said = prompt
    ? await tx.messages.range({
        sessionID: turn.sessionID,
        from: prompt.seq + 1,
        to: Number.MAX_SAFE_INTEGER,
      })
    : []
  const closing = closingMessages(said, turn, end, ids, now)
  const added = await addMessages(
    tx,
    turn.sessionID,
    closing.map((message, i) => (i === closing.length - 1 ? { ...message, usage: rest } : message)),
  )
  const last = added.at(-1) ?? said.at(-1) ?? prompt
  if (last && rest && added.length === 0) await tx.messages.book(last.id, rest)
  if (last && lastEntry !== null) await tx.messages.bindNative(last.id, lastEntry)
  for (const id of await tx.permissions.denyOpenOf(turn.id)) {
    tx.record({ kind: 'permission.answered', sessionID: turn.sessionID, subjectID: id })
  }
  await tx.requests.removeAbout(turn.id)
  await tx.turns.end(turn.id, end, now)
  await tx.sessions.touch(turn.sessionID, now)
  tx.record({ kind: 'turn.ended', sessionID: turn.sessionID, subjectID: turn.id })
  return added
}

/** Closes a turn that nobody runs any more; it is never run again by itself. */
export async function closeLeftTurn(
  tx: Transaction,
  sessionID: SessionID,
  end: TurnEnd,
  at: Closing,
): Promise<void> {
  const turn = await tx.turns.running(sessionID)
  if (turn) await closeTurn(tx, turn, end, at)
}

const statuses: Record<TurnEnd['outcome'], MessageStatus> = {
  finished: 'complete',
  interrupted: 'interrupted',
  failed: 'failed',
}

function closingMessages(
  said: readonly Message[],
  { draft }: TurnRecord,
  { outcome, reason }: TurnEnd,
  ids: Ids,
  now: number,
): readonly NewMessage[] {
  const status = statuses[outcome]
  const messages: NewMessage[] = []
  let open: readonly ToolCallPart[] = []
  for (const { parts } of said) open = openCallsAfter(open, parts)
  if (draft && draft.parts.length > 0) {
    messages.push({ id: draft.messageID, role: draft.role, parts: draft.parts, status, created: now })
    open = openCallsAfter(open, draft.parts)
  }
  if (open.length > 0) {
    const parts = open.map(({ callID, name }) => ({
      type: 'tool-result' as const,
      callID,
      name,
      output: cutOffOutput,
      exitCode: 1,
    }))
    messages.push({ id: ids.message(), role: 'tool', parts, status, created: now })
  }
  if (outcome === 'failed') {
    const parts = [{ type: 'text' as const, text: reason ?? 'The turn failed.' }]
    messages.push({ id: ids.message(), role: 'error', parts, status, created: now })
  }
  if (outcome === 'interrupted') {
    const parts = [{ type: 'notice' as const, text: `Interrupted. ${reason ?? ''}`.trim() }]
    messages.push({ id: ids.message(), role: 'system', parts, status, created: now })
  }
  return messages
}
