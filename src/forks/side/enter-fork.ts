import { livingSession } from '../../store/find.ts'
import type { Transaction } from '../../store/store.ts'
import { BoughError, hasCode } from '../../tree/error.ts'
import type { RunFiles } from '../../tree/files-mode.ts'
import type { ChannelID, MessageID, SessionID } from '../../tree/ids.ts'
import type { SandboxMode } from '../../tree/sandbox.ts'
import type { Session } from '../../tree/session.ts'
import { bannerTopic, type SideFork } from '../../tree/side-fork.ts'
import { titleFromPrompt } from '../../tree/title.ts'
import {
  type Beginning,
  type BranchOptions,
  type BranchParts,
  beginFork,
  beginningOf,
  type OwnThings,
} from '../branch.ts'
import { forkPointOf } from '../fork-point.ts'
import { livingChannel } from './channel-of.ts'
import { post } from './post.ts'
import type { SideParts } from './side-parts.ts'

export interface EnterOptions extends Pick<SideFork, 'kind' | 'origin'> {
  /** Whose head it begins at: main, or a fork that somebody answered. */
  readonly from: SessionID
  readonly topic?: string | null
  readonly prompt?: string
  readonly agent?: string | null
  readonly model?: string | null
  readonly sandbox?: SandboxMode | null
  /** Minutes. */
  readonly idleTimeout?: number | null
  /** Milliseconds. */
  readonly timeout?: number
  readonly allowedTools?: readonly string[] | null
  /** Only a person may ask for that. */
  readonly inheritGrants?: boolean
  /** Absent: the same directory, or for a background run what the person has set. */
  readonly files?: RunFiles | null
  readonly scheduleID?: SideFork['scheduleID']
  readonly process?: SideFork['process']
  /** What else happens with it, or not at all. */
  within?(tx: Transaction, sessionID: SessionID): Promise<void>
}

type EnterParts = Omit<SideParts, 'turns' | 'limit' | 'zone'>

/**
 * Begins a fork that comes back, in the directory of the session that it branches from, or in a worktree. Of interactive ones a channel has one at
 * a time: another is refused.
 */
export async function enterFork(
  parts: EnterParts,
  channelID: ChannelID,
  options: EnterOptions,
): Promise<SideFork> {
  const { store, clock } = parts
  const { kind, from, topic = null, prompt = null } = options
  const parent = await livingSession(store, from)
  const title = topic ?? (kind === 'background' ? titleFromPrompt(prompt ?? '') : null)
  const wanted = {
    kind,
    ...(title !== null && { title }),
    ...(options.agent && { agent: options.agent }),
    ...(options.model && { model: options.model }),
    ...(options.sandbox && { sandbox: options.sandbox }),
  }
  const beginning = await beginningFor(parts, parent, options, wanted)
  // It goes with its main, which need not be what the fork begins at.
  const mayBegin = async (tx: Transaction): Promise<void> => {
    await livingChannel(tx, channelID)
    if (kind === 'interactive' && (await tx.sideForks.openIn(channelID))) throw alreadyInFork()
  }
  const enter = async (tx: Transaction, session: Session): Promise<SideFork> => {
    const now = clock()
    const fork: SideFork = {
      sessionID: session.id,
      channelID,
      kind,
      origin: options.origin,
      topic,
      prompt,
      promptID: null,
      state: 'open',
      outcome: null,
      reason: null,
      wish: null,
      idleTimeout: options.idleTimeout ?? parts.idleTimeout,
      lastActivity: now,
      promptedAt: null,
      timeout: options.timeout ?? null,
      allowedTools: options.allowedTools ?? null,
      scheduleID: options.scheduleID ?? null,
      reported: false,
      pinged: false,
      process: options.process ?? null,
      began: null,
      started: now,
      ended: null,
    }
    await tx.sideForks.insert(fork)
    if (options.inheritGrants)
      for (const grant of await tx.permissions.grants(parent.id))
        await tx.permissions.insert({ ...grant, id: parts.ids.permission(), sessionID: session.id })
    tx.record({ kind: 'fork.entered', sessionID: session.id, subjectID: channelID })
    if (kind === 'interactive')
      await post(tx, parts, channelID, session.id, {
        kind: 'entered',
        topic: bannerTopic(fork, parent),
        isOpen: true,
      })
    await options.within?.(tx, session.id)
    return fork
  }
  const inPlace = (own: OwnThings = {}): Promise<SideFork> =>
    store.transaction(async (tx) => {
      await mayBegin(tx)
      return enter(tx, await beginFork(tx, parts, parent.id, beginning, wanted, own))
    })
  const files = options.files ?? (kind === 'background' ? parts.backgroundFiles : 'same')
  if (files === 'same') return inPlace()
  try {
    return await inWorktree(parts, parent, beginning, { ...wanted, files }, async (tx, session) => {
      await mayBegin(tx)
      return enter(tx, session)
    })
  } catch (error) {
    // A setting is for wherever it can be had.
    if (options.files || !hasCode(error, 'worktree_failed')) throw error
    return inPlace({ notice: error.message })
  }
}

async function inWorktree(
  parts: EnterParts,
  parent: Session,
  beginning: Beginning,
  options: BranchOptions & { readonly files: RunFiles },
  enter: (tx: Transaction, session: Session) => Promise<SideFork>,
): Promise<SideFork> {
  const [{ chooseFiles }, { forkIntoWorktree }] = await Promise.all([
    import('../choose-files.ts'),
    import('../fork-into-worktree.ts'),
  ])
  const chosen = await chooseFiles(parts, parent, beginning.forkPoint, options.files)
  const { point } = chosen
  if (!point) throw new Error('A worktree needs the files of the fork point.')
  let fork: SideFork | null = null
  await forkIntoWorktree(parts, parent, beginning, options, { ...chosen, point }, async (tx, session) => {
    fork = await enter(tx, session)
  })
  if (!fork) throw new Error('A fork that was made was entered.')
  return fork
}

/** What a person is told who wants a fork while they are in one. */
export const alreadyInFork = (now = 'End it first: /save, /report or /exit.'): BoughError =>
  new BoughError('fork_open', `You are already in a fork. ${now}`)

/** A turn may begin in the very moment when none was seen: a background fork then begins before it. */
async function beginningFor(
  parts: BranchParts,
  parent: Session,
  options: EnterOptions,
  wanted: BranchOptions,
): Promise<Beginning> {
  for (;;) {
    try {
      return await beginningOf(parts, parent, { ...wanted, ...(await pointOf(parts, parent, options)) })
    } catch (error) {
      if (options.kind !== 'background' || !hasCode(error, 'session_busy')) throw error
    }
  }
}

type Point = { readonly messageID?: MessageID; readonly before?: boolean }

// A background fork does not wait for a turn that runs in main: it begins before it. A run that is answered while it still
// goes on is forked at what it has finished so far.
async function pointOf(
  { store }: Pick<SideParts, 'store'>,
  parent: Session,
  { kind, origin }: EnterOptions,
): Promise<Point> {
  const turn = await store.turns.running(parent.id)
  if (!turn) return {}
  if (kind === 'background') return { messageID: turn.promptID, before: true }
  if (origin !== 'reply' && origin !== 'button') return {}
  const { messages } = await livingSession(store, parent.id)
  for (const { id } of (
    await store.messages.range({ sessionID: parent.id, from: 1, to: messages })
  ).toReversed()) {
    try {
      await forkPointOf(store, parent, { messageID: id })
      return { messageID: id }
    } catch (error) {
      if (!hasCode(error, 'message_unfinished')) throw error
    }
  }
  return { messageID: turn.promptID, before: true }
}
