import type { DriverCheck } from './agents/driver.ts'
import type { Diff } from './tree/diff.ts'
import type { Reset, TreeEvent } from './tree/event.ts'
import type { FilesAt, FilesDiff } from './tree/file-change.ts'
import type { FilesMode, Forked, ForkPreview } from './tree/files-mode.ts'
import type { TreeRow } from './tree/forest.ts'
import type { ContextMode, ForkContext, ForkSeed } from './tree/fork-seed.ts'
import type { Garbage } from './tree/garbage.ts'
import type { MessageID, PermissionID, SessionID, SnapshotID, TurnID } from './tree/ids.ts'
import type { Message } from './tree/message.ts'
import type { Adoptable, AdoptableList, OwnCommand, Reopened } from './tree/native.ts'
import type { Permission } from './tree/permission.ts'
import type { Page, SessionQuery } from './tree/query.ts'
import type { Restored } from './tree/restore.ts'
import type { Session, SessionChange } from './tree/session.ts'
import type { SessionDocument } from './tree/session-document.ts'
import type { Snapshot } from './tree/snapshot.ts'
import type { TurnEnd, TurnEvent } from './tree/turn.ts'
import type { WorkspaceEnd } from './tree/workspace.ts'

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
  /** The tree around a session, or all trees; depth first, tombstones included. */
  tree(id?: SessionID): Promise<readonly TreeRow[]>
  diff(a: SessionID, b: SessionID, options?: { files?: boolean }): Promise<Diff>
  /** What the turn that a message belongs to changed in the files; without a message, the last turn. */
  files(id: SessionID, messageID?: MessageID): Promise<FilesDiff>
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
  /** Takes back the last restore in a directory's project. */
  undo(directory: string, options?: UndoOptions): Promise<Restored>
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
  adopt(found: Pick<Adoptable, 'agent' | 'nativeID'>, options?: { signal?: AbortSignal }): Promise<Session>
  /** Interrupts the turn that runs in the session, in whichever process; false when none does. */
  abort(id: SessionID): Promise<boolean>

  /** What agents ask and nobody has answered yet, oldest first. */
  permissions(): Promise<readonly Permission[]>
  /** One of them, by whole or shortened id. */
  findPermission(typed: string): Promise<Permission>
  answer(id: PermissionID, answer: { allow: boolean; scope?: 'call' | 'session' }): Promise<Permission>

  /** Durable changes of every process, gap-free from `after` (default: from now). */
  events(options: { after?: number; signal: AbortSignal }): AsyncIterable<TreeEvent | Reset>
  agents(): Promise<readonly AgentStatus[]>
  /** Ends what runs here: turns are interrupted and stored as such, sessions let go. */
  close(): Promise<void>
}

export interface CreateOptions {
  readonly title?: string
  readonly agent?: string
  readonly model?: string
  readonly directory?: string
  readonly labels?: readonly string[]
}

export interface ImportOptions {
  readonly directory: string
  /** Instead of the one that the document names. */
  readonly agent?: string
  /** Gives the import up: nothing of it stays. */
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
  /** What it does about files; absent: `auto`. */
  readonly files?: FilesMode
  /** How it gets the conversation before it; absent: `auto`. */
  readonly context?: ContextMode
  /** Given what the set-up command of a new worktree prints. */
  readonly onSetUp?: (text: string) => void
  /** Gives the fork up while it is made: nothing of it stays. */
  readonly signal?: AbortSignal
}

export interface UndoOptions {
  /** Puts back the files of this snapshot instead. */
  readonly snapshotID?: SnapshotID
  /** Finishes a restore that was cut off, instead of taking it back. */
  readonly finish?: boolean
  /** Only tells what it would do. */
  readonly dryRun?: boolean
}

export interface Turn {
  readonly id: TurnID
  readonly sessionID: SessionID
  readonly prompt: Message
  /** What happens, from the beginning, whenever it is read; a slow reader does not slow the turn. */
  readonly events: AsyncIterable<TurnEvent>
  readonly ended: Promise<TurnEnd>
}

export interface AgentStatus extends DriverCheck {
  readonly name: string
}
