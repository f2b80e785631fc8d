import type { Agents } from '../../agents/agents.ts'
import { livingSession } from '../../store/find.ts'
import type { Store, Transaction } from '../../store/store.ts'
import { BoughError } from '../../tree/error.ts'
import type { Clock, Ids, SessionID } from '../../tree/ids.ts'
import { lengthOf, sharedLength } from '../../tree/line.ts'
import {
  type EndedFork,
  type ExitAction,
  type ForkChanges,
  type ForkOutcome,
  leftBehindWords,
  noEndingWords,
  type SideFork,
} from '../../tree/side-fork.ts'
import { onOneLine } from '../../tree/text.ts'
import type { ChangesParts } from '../fork-changes.ts'
import { ownWorktree } from '../own-worktree.ts'
import { moveMain } from './move-main.ts'
import { post } from './post.ts'

export interface EndParts {
  readonly store: Store
  readonly ids: Ids
  readonly clock: Clock
  readonly agents: Agents
  readonly dataDirectory: string
}

export interface Ending {
  readonly action: ExitAction
  /** What is reported. */
  readonly text?: string | null
  /** For a person: why, where nobody asked for it. */
  readonly reason?: string
  /** What it leaves behind, where that is known already or told later. */
  readonly files?: ForkChanges
  /** Throws when it is not to end after all. */
  mayEnd?(tx: Transaction): Promise<void>
}

/**
 * Ends a fork, once: whoever comes second is told that it is over. The fork stays in the tree as a session like any other;
 * what happens to main happens in the same transaction.
 */
export async function endFork(parts: EndParts, sessionID: SessionID, ending: Ending): Promise<EndedFork> {
  const files = ending.files ?? (await changesLeft(parts, sessionID))
  return parts.store.transaction(async (tx) => {
    const fork = await sideForkOf(tx, sessionID)
    await ending.mayEnd?.(tx)
    const { action, reason = null } = ending
    const outcome = outcomes[action]
    if (!(await tx.sideForks.end(sessionID, outcome, reason, parts.clock()))) throw over(fork)
    tx.record({ kind: 'fork.ended', sessionID, subjectID: fork.channelID })
    const effect = await effects[action](parts, tx, fork, ending.text ?? nothingSaid)
    const words = [reason ?? '', effect, leftBehindWords(files)].filter((each) => each !== '').join(' ')
    await post(tx, parts, fork.channelID, sessionID, {
      ...{ kind: 'ended', outcome, words },
      ...((files.changes.length > 0 || files.isPartial) && { files }),
    })
    return { fork: { ...fork, state: 'ended', outcome, reason }, outcome, words, files }
  })
}

/** What a fork that ends leaves behind. It ends also where nobody can tell. */
export async function changesLeft(parts: ChangesParts, sessionID: SessionID): Promise<ForkChanges> {
  try {
    const { forkChanges } = await import('../fork-changes.ts')
    return await forkChanges(parts, sessionID)
  } catch {
    return unknownChanges
  }
}

/** Tells the person what a background run leaves behind, with its end or after it; nothing where it changed no file. */
export async function postChanges(
  parts: Pick<EndParts, 'ids' | 'clock'>,
  tx: Transaction,
  { sessionID, channelID }: SideFork,
  outcome: ForkOutcome,
  files: ForkChanges,
): Promise<void> {
  if (files.changes.length === 0) return
  const title = (await tx.sessions.get(sessionID))?.title ?? sessionID
  const words = `The background run “${onOneLine(title, 60)}” is over. ${leftBehindWords(files)}`
  await post(tx, parts, channelID, sessionID, { kind: 'ended', outcome, words, files })
}

export const noChanges: ForkChanges = { changes: [], isPartial: false, worktree: null }

const unknownChanges: ForkChanges = { changes: [], isPartial: true, worktree: null }

/** A fork that comes back, or an error that says that it is none. */
export async function sideForkOf(
  reader: Pick<Store, 'sideForks' | 'sessions'>,
  sessionID: SessionID,
): Promise<SideFork> {
  const fork = await reader.sideForks.get(sessionID)
  if (fork) return fork
  throw new BoughError('bad_input', noEndingWords(await livingSession(reader, sessionID)))
}

/** What the second to end a fork is told. */
export const over = ({ outcome }: SideFork): BoughError =>
  new BoughError('fork_ended', `That fork is over: it was ${outcome ?? 'ended'}.`)

/** Leaves an update for main. */
export async function report(
  { ids, clock }: Pick<EndParts, 'ids' | 'clock'>,
  tx: Transaction,
  { channelID, sessionID }: SideFork,
  text: string,
): Promise<void> {
  const id = ids.update()
  const { messages: afterSeq } = await livingSession(tx, sessionID)
  const worktree = await ownWorktree(tx, sessionID)
  const where = worktree ? `\nIts files are in ${worktree.path}, on branch ${worktree.branch}.` : ''
  await tx.updates.insert({ id, channelID, sessionID, text: text + where, afterSeq, created: clock() })
  await tx.sideForks.note(sessionID, 'reported')
  tx.record({ kind: 'update.added', sessionID, subjectID: id })
}

const nothingSaid = 'The fork has ended; nothing was said in it.'

const outcomes = { save: 'saved', report: 'reported', discard: 'discarded' } as const satisfies Record<
  ExitAction,
  ForkOutcome
>

type Effect = (parts: EndParts, tx: Transaction, fork: SideFork, text: string) => Promise<string>

const effects: Record<ExitAction, Effect> = {
  async discard() {
    return 'The fork was discarded: nothing of it went to the main conversation.'
  },
  async report(parts, tx, fork, text) {
    await report(parts, tx, fork, text)
    const quoted = text.trim().replace(/^/gm, '> ')
    return `The fork was reported: the main conversation is told with its next message.\n${quoted}`
  },
  async save({ agents }, tx, { channelID, sessionID }) {
    const channel = await tx.channels.get(channelID)
    if (!channel) throw new BoughError('not_found', 'The channel of this fork is gone.')
    const [main, line] = [await tx.sessions.line(channel.mainID), await tx.sessions.line(sessionID)]
    const left = lengthOf(main) - sharedLength(main, line)
    await moveMain(tx, agents, channel, sessionID)
    return savedWords(left, channel.mainID)
  },
}

function savedWords(left: number, mainID: SessionID): string {
  const saved = 'The fork was saved: it is the main conversation now.'
  if (left === 0) return saved
  const messages = left === 1 ? '1 message stays' : `${left} messages stay`
  return `${saved} ${messages} on the branch that was main before, ${mainID}.`
}
