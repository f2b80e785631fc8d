import type { AgentCheck } from './tree/agent-check.ts'
import type { Channel } from './tree/channel.ts'
import type { Diff } from './tree/diff.ts'
import type { DirectoryTrust, TrustedDirectory } from './tree/directory-trust.ts'
import type { Reset, TreeEvent } from './tree/event.ts'
import type { FilesAt, FilesDiff } from './tree/file-change.ts'
import type { FilesMode, Forked, ForkPreview } from './tree/files-mode.ts'
import type { TreeRow } from './tree/forest.ts'
import type { ContextMode, ForkContext, ForkSeed } from './tree/fork-seed.ts'
import type { ChannelFrontEnd, KeepTimeOptions, SayOptions } from './tree/front-end.ts'
import type { Garbage } from './tree/garbage.ts'
import type {
  ChannelID,
  InquiryID,
  MessageID,
  PermissionID,
  ScheduleID,
  SessionID,
  SnapshotID,
  TurnID,
} from './tree/ids.ts'
import type { InboxItem } from './tree/inbox.ts'
import type { Message } from './tree/message.ts'
import type { Adoptable, AdoptableList, OwnCommand, Reopened } from './tree/native.ts'
import type { OutboxItem } from './tree/outgoing.ts'
import type { ApprovalScope, Permission } from './tree/permission.ts'
import type { Page, SessionQuery } from './tree/query.ts'
import type { Restored } from './tree/restore.ts'
import type { SandboxMode } from './tree/sandbox.ts'
import type { ReminderDraft, RoutineDraft, Schedule, ScheduleChange, ScheduleRun } from './tree/schedule.ts'
import type { Session, SessionChange } from './tree/session.ts'
import type { SessionDocument } from './tree/session-document.ts'
import type { SessionStatus, StatusQuery } from './tree/session-status.ts'
import type {
  EndedFiles,
  EndedFork,
  ExitAction,
  RunOptions,
  SideFork,
  SideForkQuery,
} from './tree/side-fork.ts'
import type { Snapshot } from './tree/snapshot.ts'
import type { Turn } from './tree/turn.ts'
import type { Update, UpdateQuery } from './tree/update.ts'
import type { WorkspaceEnd, WorkspaceUse } from './tree/workspace.ts'

/** Everything a front end may ask for. */
export interface Bough {
  create(options?: CreateOptions): Promise<Session>
  /** A new session with the messages of one that was exported, under new ids. One that fails half way leaves nothing. */
  importDocument(document: SessionDocument, options: ImportOptions): Promise<Session>
  session(id: SessionID): Promise<Session>
  /** Newest first. */
  sessions(query?: SessionQuery): Promise<readonly Session[]>
  /** By whole or shortened id, as a person types it. */
  findSession(typed: string): Promise<Session>
  /** By whole or shortened id, on that session's line. */
  findMessage(sessionID: SessionID, typed: string): Promise<Message>
  change(id: SessionID, change: SessionChange): Promise<Session>
  /** By whole or shortened id. */
  findSnapshot(typed: string): Promise<Snapshot>
  /** `kept` tells that a tombstone stays, since others stand on its messages. Its worktree goes when nobody needs it. */
  remove(id: SessionID): Promise<{ readonly kept: boolean; readonly workspace: WorkspaceEnd | null }>

  /** A page of the session's line that ends at its head, or before `before`; oldest first. */
  messages(id: SessionID, page?: Page): Promise<readonly Message[]>
  /** The whole line, oldest first, read in pieces. */
  line(id: SessionID): AsyncIterable<Message>
  children(id: SessionID): Promise<readonly Session[]>
  /** How it stands around a session, or would around a fork of it: its files in git, and how full its agent is. */
  status(id: SessionID, query?: StatusQuery): Promise<SessionStatus>
  /** The tree around a session, or all trees; depth first, tombstones included. */
  tree(id?: SessionID): Promise<readonly TreeRow[]>
  diff(a: SessionID, b: SessionID, options?: { files?: boolean }): Promise<Diff>
  /** What the turn that a message belongs to changed in the files; without a message, the last turn. */
  files(id: SessionID, messageID?: MessageID): Promise<FilesDiff>
  /** Files that a session works with, by some letters of their paths, the best first: git's ignored ones are left out. */
  findFiles(id: SessionID, query?: FilesQuery): Promise<readonly string[]>
  /** How files differ: of sessions, of snapshots, of directories. */
  compareFiles(a: FilesAt, b: FilesAt): Promise<FilesDiff>

  /** One that needs a seed is there at once; the seed is sent in the background. */
  fork(id: SessionID, options?: ForkOptions): Promise<Forked>
  /** What a fork would do, without doing it. */
  previewFork(id: SessionID, options?: ForkOptions): Promise<ForkPreview>
  /** How a fork would get the conversation before it: quicker than the whole preview. */
  forkContext(id: SessionID, options?: ForkOptions): Promise<ForkContext>
  /** How a session was given the line before it, when that was by a seed; waits while it is being sent from here. */
  seed(id: SessionID): Promise<ForkSeed | null>
  /** Puts a session's files back to how they were at a message, its head where none is named; `undo` takes it back. */
  restore(id: SessionID, options?: RestoreOptions): Promise<Restored>
  /** Takes back the last restore in a directory's project. */
  undo(directory: string, options?: UndoOptions): Promise<Restored>
  /** The directories that sessions work in, those used last first. */
  workspaces(): Promise<readonly WorkspaceUse[]>
  /** Frees what nobody needs: worktrees, branches, snapshots. Nothing that is not saved elsewhere. */
  gc(options?: { dryRun?: boolean }): Promise<Garbage>
  /** Resolves once the prompt is stored; waits for its place while another turn runs. */
  send(id: SessionID, text: string, options?: { signal?: AbortSignal }): Promise<Turn>
  /** Opens the session's agent, so that it answers the next prompt sooner: for when a person begins to type. Never rejects. */
  warm(id: SessionID): Promise<void>
  /** Takes in what was said in the agent's own tool since: for when a session is opened, after it is shown. */
  reopen(id: SessionID): Promise<Reopened>
  /** Lends a session to its agent's own tool while `work` runs; what was said there joins it afterwards. */
  lend<T>(id: SessionID, work: (command: OwnCommand) => Promise<T>): Promise<T>
  /** What the agents keep for a directory and its worktrees. */
  adoptable(options?: { directory?: string; agent?: string }): Promise<AdoptableList>
  /** Binds a session to what an agent keeps; one that is bound already is given back. */
  adopt(found: Pick<Adoptable, 'agent' | 'nativeID'>, options?: AdoptOptions): Promise<Session>
  /**
   * The turn that runs in a session, in whichever process; or the one that is named, also when it is over. Null where there
   * is none. Its events come from its beginning.
   */
  follow(id: SessionID, turnID?: TurnID): Promise<Turn | null>
  /** Interrupts the turn that runs in the session, in whichever process; false when none does. */
  abort(id: SessionID): Promise<boolean>

  /** The channel that a front end knows by a key; made, with a main, where there is none yet. */
  openChannel(place: ChannelPlace, options?: CreateOptions): Promise<Channel>
  /** The channel whose main or open fork a session is; made where there is none. */
  channelOf(sessionID: SessionID): Promise<Channel>
  channel(id: ChannelID): Promise<Channel>
  channels(): Promise<readonly Channel[]>
  /** Makes a session the main of a channel; what was main stays. Not while a fork is open there, or a turn runs in main. */
  promote(id: ChannelID, sessionID: SessionID): Promise<Channel>
  /** Shows a channel here from now on, also what waited for that; until what it resolves with is called. Keeps time, too. */
  attend(id: ChannelID, frontEnd: ChannelFrontEnd): Promise<() => Promise<void>>
  /**
   * Takes in what the person does in a channel. It waits its place; resolves when it is done, and rejects with what to tell
   * the one who asked when it cannot be. A turn that failed is no error here: who shows it sees.
   */
  say(id: ChannelID, what: PersonsDoing, options?: SayOptions): Promise<void>
  /** What came into a channel and has not begun yet, in its order. */
  waiting(id: ChannelID): Promise<readonly InboxItem[]>
  /**
   * Notes that a message in a chat is a fork's, so that a reply to it goes on with that fork; and which turn it shows, so that
   * somebody else can go on with showing it.
   */
  link(id: ChannelID, externalID: string, sessionID: SessionID, turnID?: TurnID): Promise<void>
  /** Ends an interactive or background fork. A report without words asks the agent for them. */
  exit(forkID: SessionID, exit: Exit): Promise<EndedFork>
  /**
   * Puts the files that an ended fork changed back to how it found them. Refused, with their names, where somebody else has
   * changed one of them, too; `undo` takes it back.
   */
  putBack(forkID: SessionID, options?: { readonly dryRun?: boolean }): Promise<Restored>
  /** Starts a background fork of a channel's main. It runs here, or wherever somebody keeps time. */
  runBackground(where: Where, prompt: string, options?: RunOptions): Promise<SideFork>
  /** A fork that comes back; null for any other session. */
  sideFork(id: SessionID): Promise<SideFork | null>
  /** Forks that come back, the newest first. */
  sideForks(query?: SideForkQuery): Promise<readonly SideFork[]>
  /** The newest things that were sent in a channel, or wait for that; oldest first. */
  sent(id: ChannelID, limit?: number): Promise<readonly OutboxItem[]>
  /** How many things still have to be done, in any channel; not counted is what waits for a fork to end. */
  pending(): Promise<number>
  /** What forks reported and main has not been told, oldest first. */
  updates(id?: ChannelID): Promise<readonly Update[]>
  /** Forgets them; resolves with how many there were. */
  clearUpdates(query?: UpdateQuery): Promise<number>
  /** Those that are still due, oldest first. */
  schedules(id?: ChannelID): Promise<readonly Schedule[]>
  /** By whole or shortened id. */
  findSchedule(typed: string): Promise<Schedule>
  addRoutine(where: Where, routine: RoutineDraft): Promise<Schedule>
  addReminder(where: Where, reminder: ReminderDraft): Promise<Schedule>
  /** What is not named stays as it is. */
  changeSchedule(id: ScheduleID, change: ScheduleChange): Promise<Schedule>
  cancelSchedule(id: ScheduleID): Promise<Schedule>
  /** Runs it now, beside its times; resolves with its run, or null where its prompt goes to main. */
  runSchedule(id: ScheduleID): Promise<SideFork | null>
  /** What became of its times, the newest first. */
  scheduleRuns(id: ScheduleID, limit?: number): Promise<readonly ScheduleRun[]>
  /** Runs timers, schedules and what dead processes left, from now until it is closed; of several processes one does. */
  keepTime(options?: KeepTimeOptions): Promise<void>

  /** Whether the person trusts a directory, and what agents would load of it. This machine's answer, or that of the server's. */
  trust(directory: string): Promise<DirectoryTrust>
  /** Trusts a directory, with those of its parts that the person has seen, by their ids. Open agents load them with their next prompt. */
  grantTrust(directory: string, seen: readonly string[]): Promise<DirectoryTrust>
  revokeTrust(directory: string): Promise<DirectoryTrust>
  trusted(): Promise<readonly TrustedDirectory[]>

  /** What agents ask and nobody has answered yet, oldest first. */
  permissions(): Promise<readonly Permission[]>
  /** One of them, by whole or shortened id. */
  findPermission(typed: string): Promise<Permission>
  /** Allows no more than the permission offers; for this call, unless a scope is named. */
  answer(id: PermissionID, answer: { allow: boolean; scope?: ApprovalScope }): Promise<Permission>

  /** Durable changes of every process, gap-free from `after` (default: from now). */
  events(options: EventOptions): AsyncIterable<TreeEvent | Reset>
  agents(): Promise<readonly AgentStatus[]>
  /**
   * Ends what runs here: turns are interrupted and stored as such, sessions let go. With a grace, in milliseconds, no turn
   * begins any more, and those that run have so long to end by themselves.
   */
  close(options?: { readonly grace?: number }): Promise<void>
}

export interface CreateOptions {
  readonly title?: string
  readonly agent?: string
  readonly model?: string
  readonly directory?: string
  /** Absent: the person's configuration decides. */
  readonly sandbox?: SandboxMode
  readonly labels?: readonly string[]
}

export interface ImportOptions {
  readonly directory: string
  /** Instead of the one that the document names. */
  readonly agent?: string
  /** Gives the import up: nothing of it stays. */
  readonly signal?: AbortSignal
}

export interface AdoptOptions {
  /** Throws where no session may work in the directory that it has. */
  readonly mayWorkIn?: (directory: string) => Promise<unknown>
  readonly signal?: AbortSignal
}

export interface ForkOptions {
  /** Absent: at the head. */
  readonly messageID?: MessageID
  /** At the message before it. */
  readonly before?: boolean
  readonly title?: string
  readonly agent?: string
  readonly model?: string
  /** Absent: that of the forked session. */
  readonly sandbox?: SandboxMode
  /** What it does about files; absent: `auto`. */
  readonly files?: FilesMode
  /** How it gets the conversation before it; absent: `auto`. */
  readonly context?: ContextMode
  /** Given what the set-up command of a new worktree prints. */
  readonly onSetUp?: (text: string) => void
  /** Gives the fork up while it is made: nothing of it stays. A restore that has begun to change files goes on to its end. */
  readonly signal?: AbortSignal
}

export interface FilesQuery {
  /** Letters of the path, in that order; absent: every path fits. */
  readonly q?: string
  /** Absent: 50. */
  readonly limit?: number
}

export interface RestoreOptions {
  readonly messageID?: MessageID
  /** Only tells what it would do. */
  readonly dryRun?: boolean
}

export interface UndoOptions {
  /** Puts back the files of this snapshot instead. */
  readonly snapshotID?: SnapshotID
  /** Finishes a restore that was cut off, instead of taking it back. */
  readonly finish?: boolean
  /** Only tells what it would do. */
  readonly dryRun?: boolean
}

export interface EventOptions {
  readonly after?: number
  readonly signal: AbortSignal
  /** Told when they cannot come for a while, and each time that they can: one that comes back by itself does not end. */
  away?(isAway: boolean): void
}

/** A channel; or a session, for the channel that it belongs to: made where there is none. */
export type Where = ChannelID | SessionID

/** Where a channel is: a front end, and how that knows it. */
export interface ChannelPlace {
  readonly frontEnd: string
  readonly key: string
  /** Its main; absent: a new session. */
  readonly mainID?: SessionID
}

/** What a person does in a channel. */
export type PersonsDoing =
  | {
      readonly kind: 'message'
      readonly text: string
      /** Its id in the chat: what was said under it before is not said again. */
      readonly externalID?: string
      /** The message of the chat that it replies to. */
      readonly replyTo?: { readonly externalID: string; readonly text: string }
    }
  | { readonly kind: 'fork'; readonly topic?: string; readonly idleTimeout?: number }
  | { readonly kind: 'exit'; readonly action: ExitAction; readonly forkID: SessionID }
  | { readonly kind: 'click'; readonly inquiryID: InquiryID }

export interface Exit {
  readonly action: ExitAction
  /** What is reported. */
  readonly text?: string
  /** Absent: they stay. Where they cannot be put back the fork ends all the same, and its words say why. */
  readonly files?: EndedFiles
}

export interface AgentStatus extends AgentCheck {
  readonly name: string
}
