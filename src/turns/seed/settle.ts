import type { Store } from '../../store/store.ts'
import type { ForkSeed } from '../../tree/fork-seed.ts'
import type { Clock, Ids } from '../../tree/ids.ts'
import type { NewMessage } from '../../tree/message.ts'
import { sentence } from '../../tree/text.ts'
import { isNothing, type Usage } from '../../tree/usage.ts'
import { addMessages } from '../add-messages.ts'
import type { HeldSession } from '../held-session.ts'
import type { Reply } from './reply.ts'

export interface SettleParts {
  readonly store: Store
  readonly ids: Ids
  readonly clock: Clock
}

/** `stopped`: somebody wanted that, and need not be told. */
export type Settled = 'sent' | 'failed' | 'stopped'

/** Ends a seed in the tree: with the notice that it is in, or why not, and what the agent said besides. */
export async function settleSeed(
  parts: SettleParts,
  held: HeldSession,
  row: ForkSeed,
  reply: Reply,
  how: Settled,
): Promise<void> {
  const { sessionID, fence } = held
  const { entry, usage } = reply
  const isSent = how === 'sent'
  const hidden = isSent && reply.isAcknowledged
  // What it said besides is the person's to see.
  const said = isSent && !hidden ? reply.messages : []
  const notice = noticeOf(parts, isSent ? sentWords(row) : `${failureWords(row.agent, reply)} ${again}`, {
    status: isSent ? 'complete' : 'failed',
    nativeID: isSent && !said.some(({ nativeID }) => nativeID === entry) ? entry : null,
    usage: said.length > 0 || isNothing(usage) ? null : usage,
  })
  await parts.store.transaction(async (tx) => {
    await fence(tx)
    await tx.forkSeeds.end(row.id, isSent ? 'sent' : 'failed', { hidden, usage })
    if (!isSent) await tx.sessions.bindNative(sessionID, null)
    if (how !== 'stopped') await addMessages(tx, sessionID, [...said, notice])
    tx.record({ kind: 'session.updated', sessionID })
  })
}

/** A seed that an agent has answered although nobody was there to hear it: what it said stands in its own history. */
export async function settleRestored(
  parts: SettleParts,
  { sessionID, fence }: HeldSession,
  row: ForkSeed,
  entry: string,
): Promise<void> {
  const notice = noticeOf(parts, sentWords(row), { status: 'complete', nativeID: entry, usage: null })
  await parts.store.transaction(async (tx) => {
    await fence(tx)
    await tx.forkSeeds.end(row.id, 'sent', { hidden: false, usage: null })
    await addMessages(tx, sessionID, [notice])
    tx.record({ kind: 'session.updated', sessionID })
  })
}

function noticeOf(
  { ids, clock }: SettleParts,
  text: string,
  rest: { status: NewMessage['status']; nativeID: string | null; usage: Usage | null },
): NewMessage {
  return { id: ids.message(), role: 'system', parts: [{ type: 'notice', text }], created: clock(), ...rest }
}

function sentWords({ agent, why, tokens, leftOut }: ForkSeed): string {
  const size = `about ${tokens.toLocaleString('en')} tokens`
  const lack = leftOut === null ? '' : ` Left out, because it was too long: ${leftOut}.`
  return `${why} So the conversation was handed over to ${agent} as a seed, ${size}.${lack} It waits for your prompt.`
}

/** For a person: why a seed came to nothing. */
export function failureWords(agent: string, { failure, text }: Reply): string {
  const said = text === '' ? '' : ` It had said: "${text.slice(0, longestQuote)}".`
  return `The conversation could not be handed over to ${agent}: ${sentence(failure ?? '')}${said}`
}

const again = 'It is tried again with your next prompt.'

const longestQuote = 500
