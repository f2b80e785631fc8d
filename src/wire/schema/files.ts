import * as z from 'zod/mini'
import type { FileChange, FilesDiff, FilesState } from '../../tree/file-change.ts'
import {
  type FilesChoice,
  type FilesMode,
  type ForkFiles,
  filesModes,
  type Left,
  type RunFiles,
  runFilesModes,
  type WorktreeBase,
} from '../../tree/files-mode.ts'
import type { Garbage, GarbageItem } from '../../tree/garbage.ts'
import type { Restored } from '../../tree/restore.ts'
import type { Missing, Snapshot } from '../../tree/snapshot.ts'
import type { WorkspaceEnd, WorkspaceUse } from '../../tree/workspace.ts'
import { snapshotID, turnID, workspaceID } from './ids.ts'
import { list } from './list.ts'
import { component } from './names.ts'
import { count, time } from './numbers.ts'

export const missing = component(
  'Missing',
  z.object({
    path: z.string(),
    why: z.enum(['nested repository', 'dirty submodule', 'too large', 'changing', 'unreadable']),
  }),
) satisfies z.ZodMiniType<Missing>

export const snapshot = component(
  'Snapshot',
  z.object({
    id: snapshotID,
    projectID: z.string(),
    root: z.string(),
    tree: z.string(),
    head: z.nullable(z.string()),
    branch: z.nullable(z.string()),
    missing: list(missing),
    beside: list(turnID),
    saved: z.boolean(),
    freed: z.boolean(),
    created: time,
  }),
) satisfies z.ZodMiniType<Snapshot>

export const fileChange = component(
  'FileChange',
  z.object({ path: z.string(), change: z.enum(['added', 'changed', 'deleted']) }),
) satisfies z.ZodMiniType<FileChange>

export const filesState = component(
  'FilesState',
  z.extend(snapshot, { id: z.nullable(snapshotID) }),
) satisfies z.ZodMiniType<FilesState>

export const filesDiff = component(
  'FilesDiff',
  z.object({
    from: filesState,
    to: filesState,
    changes: list(fileChange),
    patch: z.string(),
    patchBytes: z.exactOptional(z.string()),
  }),
) satisfies z.ZodMiniType<FilesDiff>

export const filesMode = component('FilesMode', z.enum(filesModes)) satisfies z.ZodMiniType<FilesMode>

export const runFiles = component('RunFiles', z.enum(runFilesModes)) satisfies z.ZodMiniType<RunFiles>

export const filesChoice = component(
  'FilesChoice',
  z.enum(filesModes.filter((mode) => mode !== 'auto')),
) satisfies z.ZodMiniType<FilesChoice>

export const left = component(
  'Left',
  z.object({ path: z.string(), why: z.string() }),
) satisfies z.ZodMiniType<Left>

export const worktreeBase = component(
  'WorktreeBase',
  z.object({ commit: z.string(), branch: z.nullable(z.string()), isCurrent: z.boolean() }),
) satisfies z.ZodMiniType<WorktreeBase>

export const forkFiles = component(
  'ForkFiles',
  z.object({
    mode: filesChoice,
    why: z.string(),
    notices: list(z.string()),
    snapshotID: z.nullable(snapshotID),
    base: z.nullable(worktreeBase),
    changes: list(fileChange),
    left: list(left),
  }),
) satisfies z.ZodMiniType<ForkFiles>

export const restored = component(
  'Restored',
  z.object({
    root: z.string(),
    changes: list(fileChange),
    left: list(left),
    notices: z.exactOptional(list(z.string())),
    before: z.nullable(snapshotID),
  }),
) satisfies z.ZodMiniType<Restored>

export const garbageItem = component(
  'GarbageItem',
  z.object({
    kind: z.enum(['worktree', 'branch', 'snapshots', 'draft', 'import']),
    what: z.string(),
    bytes: count,
    goes: z.boolean(),
    why: z.string(),
  }),
) satisfies z.ZodMiniType<GarbageItem>

export const garbage = component(
  'Garbage',
  z.object({ items: list(garbageItem), freed: count }),
) satisfies z.ZodMiniType<Garbage>

export const workspaceEnd = component(
  'WorkspaceEnd',
  z.object({
    path: z.string(),
    branch: z.string(),
    removed: z.boolean(),
    kept: z.nullable(z.string()),
    branchKept: z.boolean(),
    saved: z.nullable(snapshotID),
    ignored: list(z.string()),
  }),
) satisfies z.ZodMiniType<WorkspaceEnd>

export const workspaceUse = component(
  'WorkspaceUse',
  z.object({
    directory: z.string(),
    workspaceID: z.nullable(workspaceID),
    branch: z.nullable(z.string()),
    sessions: count,
    updated: time,
  }),
) satisfies z.ZodMiniType<WorkspaceUse>
