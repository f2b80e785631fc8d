import type { NativeHistory, NativeSessions } from '../agents/driver.ts'
import { wholeHistory } from '../agents/whole-times.ts'
import { livingSession } from '../store/find.ts'
import { hasCode } from '../tree/error.ts'
import type { ForkSeed } from '../tree/fork-seed.ts'
import { type NativeMessage, nothingNew, type Reopened } from '../tree/native.ts'
import type { ConnectParts } from './connect.ts'
import type { HeldSession } from './held-session.ts'
import { reconcile } from './reconcile.ts'
import { sha256Of } from './seed/seed.ts'
import { settleRestored } from './seed/settle.ts'
import { seedIn } from './seed/without-seed.ts'
import { within } from './within.ts'

/** Milliseconds that an agent may take to tell what it has. */
export const readPatience = 60_000

export interface CaughtUp extends Reopened {
  /** The history, where it had to be read. */
  readonly history: NativeHistory | null
}

export const nothingCaughtUp: CaughtUp = { ...nothingNew, history: null }

export interface CatchUpOptions {
  readonly stop: AbortSignal
  /** The seed is wanted too, where there was one. */
  readonly withSeed?: boolean
}

/** Takes in what the agent's own history has and the tree has not. Only its owner may do that. */
export async function catchUp(
  parts: ConnectParts,
  held: HeldSession,
  native: NativeSessions,
  { stop, withSeed = false }: CatchUpOptions,
): Promise<CaughtUp> {
  const { store } = parts
  const session = await livingSession(store, held.sessionID)
  const { nativeID, agent } = session
  if (nativeID === null || (await store.sessions.boundTo(agent, nativeID)) !== session.id)
    return nothingCaughtUp
  const row = await store.forkSeeds.of(session.id)
  const isSeeding = row !== null && row.state !== 'sent'
  const limits = { stop, patience: readPatience, what: `What ${agent} has of this session` }
  try {
    const version = await within(native.version(nativeID), limits)
    // It never came to be: its agent was killed before, or a command was only printed.
    const range = { sessionID: session.id, from: 1, to: session.messages }
    if (version === null && (await store.messages.entries(range)).length === 0) return nothingCaughtUp
    const isKnown = version !== null && version === (await store.sessions.nativeVersion(session.id))
    if (isKnown && !isSeeding && !(withSeed && row)) return nothingCaughtUp
    const history = wholeHistory(await within(native.read(nativeID), limits))
    const seed = row ? seedOf(history, row) : []
    if (isSeeding) return { ...nothingCaughtUp, seed: await restore(parts, held, row, seed), history }
    if (isKnown) return { ...nothingCaughtUp, seed, history }
    return { ...(await reconcile(parts, session, held.fence, history)), seed, missing: null, history }
  } catch (error) {
    if (!hasCode(error, 'native_missing') && !hasCode(error, 'native_unreadable')) throw error
    return isSeeding ? nothingCaughtUp : { ...nothingCaughtUp, missing: error.message }
  }
}

/** Notes what the agent's own history is like, when the tree has all of it: nobody has to read it then to know that. */
export async function noteVersion({ store, agents }: ConnectParts, held: HeldSession): Promise<void> {
  const { id, agent, nativeID } = await livingSession(store, held.sessionID)
  const { native } = agents.named(agent)
  if (!native || nativeID === null) return
  const stop = new AbortController().signal
  const version = await within(native.version(nativeID), { stop, patience: briefly, what: 'It' })
  await store.transaction(async (tx) => {
    await held.fence(tx)
    await tx.sessions.noteNative(id, version)
  }, 'relaxed')
}

/** It only saves time. */
const briefly = 2_000

// Bough died between seed and reply. Where the agent has answered all the same, nothing has to be said again.
async function restore(
  parts: ConnectParts,
  held: HeldSession,
  row: ForkSeed,
  seed: readonly NativeMessage[],
): Promise<readonly NativeMessage[]> {
  const answer = seed.slice(1).findLast(({ role }) => role === 'assistant')
  const entry = seed.findLast(({ nativeID }) => nativeID)?.nativeID ?? null
  if (answer?.status !== 'complete' || entry === null) return []
  await settleRestored(parts, held, row, entry)
  return seed
}

function seedOf({ messages }: NativeHistory, { sha256 }: ForkSeed): readonly NativeMessage[] {
  const { from, to } = seedIn(messages, (text) => sha256Of(text) === sha256)
  return messages.slice(from, to)
}
