import { type FileChange, filesWord } from './file-change.ts'
import type { RunFiles } from './files-mode.ts'
import type { ChannelID, MessageID, ScheduleID, SessionID, TurnID } from './ids.ts'
import type { ProcessIdentity } from './owner.ts'
import { plainLine, visibleText } from './plain-text.ts'
import type { Restored } from './restore.ts'
import type { SandboxMode } from './sandbox.ts'
import type { Session } from './session.ts'

// The life of a fork that comes back. An interactive one is open until somebody ends it; a background one until its run is over.
//
//   open ── wish (a tool, a button, the idle timer) ──▶ open, with a wish ── its turn has ended ──▶ ended, with an outcome
//     └──── its run is over, or failed, or took too long ─────────────────────────────────────────▶ ended
//
// The first wish counts. An ended fork is a session like any other; it never opens again.

export type SideForkKind = 'interactive' | 'background'

/** Who opened it: the person, the agent, a reply to a fork's message, a click on a fork's button, a schedule. */
export type ForkOrigin = 'person' | 'agent' | 'reply' | 'button' | 'schedule'

/** How a person or an agent wants a fork to end. */
export type ExitAction = 'save' | 'report' | 'discard'

export type ForkOutcome =
  /** It became main. */
  | 'saved'
  /** Main is told what it reported. */
  | 'reported'
  /** Main never hears of it. */
  | 'discarded'
  /** A background run that did what it was asked. */
  | 'finished'
  | 'failed'
  | 'timed-out'

/** What was wished, and in which turn; null for a button or the timer. */
export interface ExitWish {
  readonly action: ExitAction
  /** What is reported. */
  readonly text: string | null
  readonly turnID: TurnID | null
}

/** Why a session that is no side fork cannot be saved, reported or discarded. */
export const noEndingWords = ({ kind, title }: Pick<Session, 'kind' | 'title'>): string =>
  kind === 'branch'
    ? `“${plainLine(title)}” is a branch: it goes on by itself and has no ending. To make it main, press p in Compare.`
    : `“${plainLine(title)}” is not a fork and has no ending. /fork opens a side conversation.`

/** A fork that comes back, and how that goes. */
export interface SideFork {
  readonly sessionID: SessionID
  readonly channelID: ChannelID
  readonly kind: SideForkKind
  readonly origin: ForkOrigin
  /** What it is about; null for an open session. */
  readonly topic: string | null
  /** What a background run is asked to do. */
  readonly prompt: string | null
  /** The message that this became, once it is stored. */
  readonly promptID: MessageID | null
  readonly state: 'open' | 'ended'
  readonly outcome: ForkOutcome | null
  /** For a person: why it failed, say. */
  readonly reason: string | null
  readonly wish: ExitWish | null
  /** Minutes without activity after which the agent is asked; of an interactive one. */
  readonly idleTimeout: number
  readonly lastActivity: number
  /** When the agent was asked because nobody said anything; only the person clears it. */
  readonly promptedAt: number | null
  /** Milliseconds that a background run may take. */
  readonly timeout: number | null
  /** The only tools that it may use; null for all that the policy allows. */
  readonly allowedTools: readonly string[] | null
  readonly scheduleID: ScheduleID | null
  /** What a background run did of its own. */
  readonly reported: boolean
  readonly pinged: boolean
  /** Who runs a background one, or will when its place comes; null for whoever is there. */
  readonly process: ProcessIdentity | null
  /** When its run began; null while it waits for its place. */
  readonly began: number | null
  readonly started: number
  readonly ended: number | null
}

/** The topic that a banner shows: of a fork that goes on with a run, that run. */
export const bannerTopic = (
  { topic, origin }: Pick<SideFork, 'topic' | 'origin'>,
  from: Session,
): string | null =>
  topic === null && (origin === 'reply' || origin === 'button') ? `continues “${from.title}”` : topic

export interface RunOptions {
  readonly agent?: string
  readonly model?: string
  /** Absent: that of the session it begins at. */
  readonly sandbox?: SandboxMode
  /** The only tools that it may use: fewer than the policy allows, never more. */
  readonly allowedTools?: readonly string[]
  /** Minutes that it may take; absent: 30. */
  readonly timeout?: number
  /** Absent: what the person has set, else the same directory. */
  readonly files?: RunFiles
  /** It may do what the person has allowed main for the whole session; absent: it starts with nothing of that. */
  readonly inheritGrants?: boolean
}

/** How a fork ended, for whoever tells the person. */
export interface EndedFork {
  readonly fork: SideFork
  readonly outcome: ForkOutcome
  /** In words: not by colour alone. */
  readonly words: string
  /** What its turns changed in the files. */
  readonly files: ForkChanges
  /** What was put back, where that was asked for and nothing overlapped. */
  readonly restored?: Restored
}

/** What becomes of the files that an ended fork has changed. */
export const endedFilesModes = ['keep', 'put-back'] as const

export type EndedFiles = (typeof endedFilesModes)[number]

/** What the turns of a fork changed in the files. */
export interface ForkChanges {
  readonly changes: readonly FileChange[]
  /** Some of its turns were cut off, or their files cleaned up: it may have changed more. */
  readonly isPartial: boolean
  /** The worktree of its own; null where it works in the same directory as the session that it was forked from. */
  readonly worktree: { readonly path: string; readonly branch: string } | null
}

/** Whether somebody who ended a fork may want its files put back: saved, it goes on with them. */
export const mayPutBack = (outcome: ForkOutcome, files: ForkChanges | undefined): boolean =>
  outcome !== 'saved' && files !== undefined && files.changes.length > 0

/** The fork that ended last. */
export const lastEnded = (forks: readonly SideFork[]): SideFork | null =>
  forks.toSorted((a, b) => (a.ended ?? 0) - (b.ended ?? 0)).at(-1) ?? null

/** On the button of an ended fork's banner. */
export const putBackLabel = 'Put its files back'

/** For a person: what putting back a fork's files did. */
export const putBackWords = ({ changes, left }: Restored): string =>
  changes.length === 0
    ? 'Its files are already as it found them: nothing was put back.'
    : `${filesWord(changes.length)} put back as it found ${changes.length === 1 ? 'it' : 'them'}${left.length > 0 ? `, ${left.length} left alone` : ''}. "bough undo" takes it back.`

const mostNamed = 5

/** For a person: what a fork leaves behind; empty for nothing. */
export function leftBehindWords({ changes, isPartial, worktree }: ForkChanges): string {
  const named = changes.slice(0, mostNamed).map(({ path }) => visibleText(path))
  const more = changes.length - named.length
  const list = named.join(', ') + (more > 0 ? ` and ${more} more` : '')
  const where = worktree === null ? '' : ` in ${worktree.path}, on branch ${worktree.branch}`
  const count = changes.length === 1 ? '1 file, which stays' : `${filesWord(changes.length)}, which stay`
  return [
    changes.length === 0 ? '' : `It changed ${count}${where}: ${list}.`,
    isPartial ? 'A turn in it was cut off, so it may have changed more files.' : '',
  ]
    .filter((words) => words !== '')
    .join(' ')
}

/** Which forks that come back are wanted; absent: all. */
export interface SideForkQuery {
  readonly channelID?: ChannelID
  readonly state?: SideFork['state']
  /** At most so many, the newest. */
  readonly limit?: number
}
