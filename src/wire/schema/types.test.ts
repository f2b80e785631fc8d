import { expectTypeOf, it } from 'vitest'
import type * as z from 'zod/mini'
import type { AgentStatus } from '../../bough.ts'
import type { Channel } from '../../tree/channel.ts'
import type { Diff, DiffSide } from '../../tree/diff.ts'
import type { Reset, TreeEvent } from '../../tree/event.ts'
import type { FileChange, FilesDiff, FilesState } from '../../tree/file-change.ts'
import type {
  FilesChoice,
  FilesMode,
  Forked,
  ForkFiles,
  ForkPreview,
  Left,
  RunFiles,
  WorktreeBase,
} from '../../tree/files-mode.ts'
import type { TreeRow } from '../../tree/forest.ts'
import type { ContextMode, ForkContext, ForkSeed, SeedState } from '../../tree/fork-seed.ts'
import type { Garbage, GarbageItem } from '../../tree/garbage.ts'
import type {
  ChannelID,
  InboxID,
  InquiryID,
  MessageID,
  OutboxID,
  PermissionID,
  RequestID,
  ScheduleID,
  SeedID,
  SessionID,
  SnapshotID,
  TurnID,
  UpdateID,
  WorkspaceID,
} from '../../tree/ids.ts'
import type { InboxItem, Incoming } from '../../tree/inbox.ts'
import type {
  Json,
  Message,
  MessageStatus,
  Part,
  Role,
  ToolCallPart,
  ToolResultPart,
} from '../../tree/message.ts'
import type { Adoptable, AdoptableList, NativeMessage, OwnCommand, Reopened } from '../../tree/native.ts'
import type { OutboxItem, Outgoing } from '../../tree/outgoing.ts'
import type { ProcessIdentity } from '../../tree/owner.ts'
import type { Permission } from '../../tree/permission.ts'
import type { Restored } from '../../tree/restore.ts'
import type { Reminder, Routine, Schedule, ScheduleRun } from '../../tree/schedule.ts'
import type { Session, SessionKind, SessionState } from '../../tree/session.ts'
import type {
  EndedFiles,
  EndedFork,
  ExitAction,
  ExitWish,
  ForkChanges,
  ForkOrigin,
  ForkOutcome,
  SideFork,
  SideForkKind,
} from '../../tree/side-fork.ts'
import type { Missing, Snapshot } from '../../tree/snapshot.ts'
import type { Draft, TurnEnd, TurnEvent, TurnOutcome } from '../../tree/turn.ts'
import type { Update } from '../../tree/update.ts'
import type { Cost, Usage } from '../../tree/usage.ts'
import type { WorkspaceEnd, WorkspaceUse } from '../../tree/workspace.ts'
import type { agentStatus } from './agent.ts'
import type { channel } from './channel.ts'
import type { reset, treeEvent } from './event.ts'
import type {
  fileChange,
  filesChoice,
  filesDiff,
  filesMode,
  filesState,
  forkFiles,
  garbage,
  garbageItem,
  left,
  missing,
  restored,
  runFiles,
  snapshot,
  workspaceEnd,
  workspaceUse,
  worktreeBase,
} from './files.ts'
import type { contextMode, forkContext, forked, forkPreview, forkSeed, seedState } from './fork.ts'
import type {
  channelID,
  inboxID,
  inquiryID,
  messageID,
  outboxID,
  permissionID,
  requestID,
  scheduleID,
  seedID,
  sessionID,
  snapshotID,
  turnID,
  updateID,
  workspaceID,
} from './ids.ts'
import type { inboxItem, incoming } from './inbox.ts'
import type { json } from './json.ts'
import type { message, messageStatus, part, role, toolCallPart, toolResultPart } from './message.ts'
import type { adoptable, adoptableList, nativeMessage, ownCommand, reopened } from './native.ts'
import type { outboxItem, outgoing } from './outgoing.ts'
import type { permission } from './permission.ts'
import type { processIdentity } from './process.ts'
import type { reminder, routine, schedule, scheduleRun } from './schedule.ts'
import type { session, sessionKind, sessionState } from './session.ts'
import type {
  endedFiles,
  endedFork,
  exitAction,
  exitWish,
  forkChanges,
  forkOrigin,
  forkOutcome,
  sideFork,
  sideForkKind,
} from './side-fork.ts'
import type { diff, diffSide, treeRow } from './tree.ts'
import type { draft, TurnFacts, turn, turnEnd, turnEvent, turnOutcome } from './turn.ts'
import type { update } from './update.ts'
import type { cost, usage } from './usage.ts'

/** Optional fields too must be in both. */
type Whole<T> = [Json] extends [T] ? T : T extends object ? { readonly [K in keyof T]-?: Whole<T[K]> } : T

type Fits<S extends z.ZodMiniType, T> = [T, Whole<T>] extends [z.input<S>, Whole<z.input<S>>]
  ? [z.output<S>, Whole<z.output<S>>] extends [T, Whole<T>]
    ? 'fits'
    : 'gives something else'
  : 'refuses it'

it('a schema takes what the tree has, and gives what the tree has', () => {
  expectTypeOf<Fits<typeof agentStatus, AgentStatus>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof channel, Channel>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof treeEvent, TreeEvent>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof reset, Reset>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof missing, Missing>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof snapshot, Snapshot>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof fileChange, FileChange>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof filesState, FilesState>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof filesDiff, FilesDiff>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof filesMode, FilesMode>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof filesChoice, FilesChoice>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof left, Left>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof forkFiles, ForkFiles>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof restored, Restored>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof garbageItem, GarbageItem>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof garbage, Garbage>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof workspaceEnd, WorkspaceEnd>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof workspaceUse, WorkspaceUse>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof contextMode, ContextMode>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof forkContext, ForkContext>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof forkPreview, ForkPreview>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof forked, Forked>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof seedState, SeedState>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof forkSeed, ForkSeed>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof incoming, Incoming>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof inboxItem, InboxItem>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof role, Role>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof messageStatus, MessageStatus>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof toolCallPart, ToolCallPart>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof toolResultPart, ToolResultPart>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof part, Part>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof message, Message>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof nativeMessage, NativeMessage>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof reopened, Reopened>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof adoptable, Adoptable>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof adoptableList, AdoptableList>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof ownCommand, OwnCommand>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof outgoing, Outgoing>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof outboxItem, OutboxItem>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof permission, Permission>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof processIdentity, ProcessIdentity>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof reminder, Reminder>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof routine, Routine>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof schedule, Schedule>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof scheduleRun, ScheduleRun>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof sessionKind, SessionKind>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof sessionState, SessionState>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof session, Session>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof sideForkKind, SideForkKind>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof forkOrigin, ForkOrigin>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof exitAction, ExitAction>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof forkOutcome, ForkOutcome>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof exitWish, ExitWish>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof sideFork, SideFork>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof endedFork, EndedFork>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof endedFiles, EndedFiles>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof forkChanges, ForkChanges>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof runFiles, RunFiles>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof worktreeBase, WorktreeBase>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof treeRow, TreeRow>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof diffSide, DiffSide>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof diff, Diff>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof turnOutcome, TurnOutcome>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof turnEnd, TurnEnd>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof turnEvent, TurnEvent>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof draft, Draft>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof turn, TurnFacts>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof update, Update>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof usage, Usage>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof cost, Cost>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof sessionID, SessionID>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof messageID, MessageID>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof turnID, TurnID>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof permissionID, PermissionID>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof requestID, RequestID>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof snapshotID, SnapshotID>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof workspaceID, WorkspaceID>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof seedID, SeedID>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof channelID, ChannelID>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof updateID, UpdateID>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof inquiryID, InquiryID>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof scheduleID, ScheduleID>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof inboxID, InboxID>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof outboxID, OutboxID>>().toEqualTypeOf<'fits'>()
  expectTypeOf<Fits<typeof json, Json>>().toEqualTypeOf<'fits'>()
})
