import { livingSession } from '../../store/find.ts'
import type { Transaction } from '../../store/store.ts'
import type { Channel } from '../../tree/channel.ts'
import type { MessageID, SessionID } from '../../tree/ids.ts'
import { contextBlock, forkStarted, fullTimeWords, mostInFork, updatesWords } from '../../tree/prompts.ts'
import type { SideFork } from '../../tree/side-fork.ts'
import type { Update } from '../../tree/update.ts'
import type { SideParts } from './side-parts.ts'
import { takeBackUnsent } from './unsent-updates.ts'

export type ContextParts = Pick<SideParts, 'clock' | 'zone' | 'agents'>

/**
 * What stands before a prompt, made in the transaction that stores it: the time, what forks have reported, what has happened
 * in a fork. Null in a session that belongs to no channel.
 */
export async function contextOf(
  parts: ContextParts,
  tx: Transaction,
  sessionID: SessionID,
  messageID: MessageID,
  notes: readonly string[] = [],
): Promise<string | null> {
  const { clock, zone } = parts
  const fork = await tx.sideForks.get(sessionID)
  const channels = await tx.channels.withMain(sessionID)
  const lines: string[] = [...(await toldAtStart(tx, sessionID))]
  if (fork?.state === 'open') {
    lines.push(...(await shownInFork(parts, tx, fork, messageID)), ...(await startOf(tx, fork)))
  } else if (channels.length > 0) {
    await takeBackUnsent(tx, parts.agents, sessionID)
    lines.push(...(await toldToMain(parts, tx, channels, messageID)))
  } else if (lines.length === 0 && notes.length === 0) return null
  return contextBlock([fullTimeWords(clock(), zone), ...lines, ...notes])
}

// Each is given to one message only: so main is told it once, whoever races and whoever dies. A session may be the main of
// more than one channel; what waits in all of them is told as one list.
async function toldToMain(
  { clock }: ContextParts,
  tx: Transaction,
  channels: readonly Channel[],
  messageID: MessageID,
): Promise<readonly string[]> {
  const updates: Update[] = []
  for (const { id } of channels) updates.push(...(await tx.updates.assign(id, messageID)))
  return updatesWords(
    updates.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    clock(),
    'main',
  )
}

// In a fork they are only shown: main still has to be told.
async function shownInFork(
  { clock }: ContextParts,
  tx: Transaction,
  { channelID }: SideFork,
  messageID: MessageID,
): Promise<readonly string[]> {
  const updates = await tx.updates.waiting(channelID)
  const shown = updates.slice(-mostInFork).map(({ id }) => id)
  await tx.updates.see(messageID, shown)
  return updatesWords(updates, clock(), 'fork')
}

const startOf = async (tx: Transaction, fork: SideFork): Promise<readonly string[]> =>
  (await hasAnswered(tx, fork.sessionID)) ? [] : [forkStarted(fork)]

/** What a fork's first message has for its agent, beside the notice for the person. */
async function toldAtStart(tx: Transaction, sessionID: SessionID): Promise<readonly string[]> {
  const [first] = await tx.messages.range({ sessionID, from: 1, to: 1 })
  if (first?.role !== 'system') return []
  const told = first.parts.flatMap((part) => (part.type === 'context' ? part.text : []))
  return told.length === 0 || (await hasAnswered(tx, sessionID)) ? [] : told
}

// An agent that has not answered yet may not have got it the first time.
async function hasAnswered(tx: Transaction, sessionID: SessionID): Promise<boolean> {
  const { messages } = await livingSession(tx, sessionID)
  const said = await tx.messages.range({ sessionID, from: 1, to: Math.min(messages, 50) })
  return said.some(({ role }) => role === 'assistant')
}
