import * as z from 'zod/mini'
import { filesModes } from '../../tree/files-mode.ts'
import { contextModes } from '../../tree/fork-seed.ts'
import { count, flag, plain, route, words } from '../route.ts'
import { filesDiff, garbage, restored, snapshot, workspaceUse } from '../schema/files.ts'
import { forkContext, forked, forkPreview, forkSeed } from '../schema/fork.ts'
import { messageID, sessionID, snapshotID } from '../schema/ids.ts'
import { list } from '../schema/list.ts'
import { sandboxMode, session } from '../schema/session.ts'
import { sessionStatus } from '../schema/session-status.ts'
import { endedFiles, endedFork, exitAction, sideFork } from '../schema/side-fork.ts'
import { directory, idleTimeout, largestWithPrompt, prompt, title, typedID } from './fields.ts'

const params = z.strictObject({ id: sessionID })

const point = { messageID: z.exactOptional(messageID) }
const ways = {
  agent: z.exactOptional(words(100)),
  model: z.exactOptional(words(200)),
  sandbox: z.exactOptional(sandboxMode),
  files: z.exactOptional(z.enum(filesModes)),
  context: z.exactOptional(z.enum(contextModes)),
}
const wanted = z.strictObject({ ...point, before: z.exactOptional(flag()), ...ways })

const filesAt = z.union(
  [z.strictObject({ sessionID, ...point }), z.strictObject({ snapshotID }), z.strictObject({ directory })],
  {
    error: 'Files are named by a sessionID (with a messageID or without), by a snapshotID, or by a directory',
  },
)

/** Forks, and the files that go with them. */
export const forkRoutes = {
  status: route({
    ...plain,
    method: 'GET',
    path: '/session/{id}/status',
    about:
      'How it stands around a session, or would around a fork: its files in git, and how full its agent is',
    params,
    query: z.strictObject({
      ...point,
      before: z.exactOptional(flag()),
      agent: z.exactOptional(words(100)),
      model: z.exactOptional(words(200)),
    }),
    result: sessionStatus,
  }),
  fork: route({
    ...plain,
    method: 'POST',
    path: '/session/{id}/fork',
    about: 'Fork a session at a message, or at its head; as a branch, an interactive or a background fork',
    params,
    body: z.strictObject({
      ...point,
      before: z.exactOptional(z.boolean()),
      title: z.exactOptional(title),
      ...ways,
      kind: z.exactOptional(z.enum(['branch', 'interactive', 'background'])),
      topic: z.exactOptional(prompt),
      prompt: z.exactOptional(prompt),
      idleTimeout: z.exactOptional(idleTimeout),
    }),
    bodyIsOptional: true,
    largestBody: largestWithPrompt,
    status: 201,
    result: z.union([forked, z.extend(session, { fork: sideFork })]),
    events: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('set-up'), text: z.string() }),
      z.object({ kind: z.literal('forked'), forked }),
    ]),
  }),
  previewFork: route({
    ...plain,
    method: 'GET',
    path: '/session/{id}/fork',
    about:
      'What a fork would do, without doing it: natively or by a seed and why, files; and how it stands there: tokens against the window, files that are not committed',
    params,
    query: z.extend(wanted, { status: z.exactOptional(flag()) }),
    result: z.extend(forkPreview, { status: z.nullable(sessionStatus) }),
  }),
  forkContext: route({
    ...plain,
    method: 'GET',
    path: '/session/{id}/fork/context',
    about: 'How a fork would get the conversation before it: quicker than the whole preview',
    params,
    query: wanted,
    result: forkContext,
  }),
  seed: route({
    ...plain,
    method: 'GET',
    path: '/session/{id}/seed',
    about:
      'How a session was given the line before it, when that was by a seed; waits while it is being sent',
    params,
    result: z.nullable(forkSeed),
  }),
  exit: route({
    ...plain,
    method: 'POST',
    path: '/session/{id}/exit',
    about: 'End an interactive or background fork: save, report or discard it',
    params,
    body: z.strictObject({
      action: exitAction,
      message: z.exactOptional(z.string()),
      files: z.exactOptional(endedFiles),
    }),
    result: endedFork,
  }),
  putBack: route({
    ...plain,
    method: 'POST',
    path: '/session/{id}/put-back',
    about:
      'Put the files that an ended fork changed back to how it found them; refused where others changed them, too',
    params,
    body: z.strictObject({ dryRun: z.exactOptional(z.boolean()) }),
    bodyIsOptional: true,
    result: restored,
  }),
  files: route({
    ...plain,
    method: 'GET',
    path: '/session/{id}/files',
    about:
      'What the turn of a message, or the last one, changed in the files; and how those differ from the directory now',
    params,
    query: z.strictObject({ at: z.exactOptional(messageID), workspace: z.exactOptional(flag()) }),
    result: z.extend(filesDiff, { workspace: z.nullable(filesDiff) }),
  }),
  findFiles: route({
    ...plain,
    method: 'GET',
    path: '/session/{id}/files/find',
    about: 'Files that a session works with, by some letters of their paths, the best first',
    params,
    query: z.strictObject({
      q: z.exactOptional(z.string().check(z.maxLength(1000))),
      limit: z.exactOptional(count(1000)),
    }),
    result: list(z.string()),
  }),
  compareFiles: route({
    ...plain,
    method: 'POST',
    path: '/files/compare',
    about: 'How files differ: of sessions, of snapshots, of directories',
    body: z.strictObject({ a: filesAt, b: filesAt }),
    result: filesDiff,
  }),
  findSnapshot: route({
    ...plain,
    method: 'GET',
    path: '/find/snapshot',
    about: 'The snapshot with a whole or shortened id',
    query: z.strictObject({ id: typedID }),
    result: snapshot,
  }),
  restore: route({
    ...plain,
    method: 'POST',
    path: '/session/{id}/restore',
    about: "Put a session's files back to how they were at a message, or at its head",
    params,
    body: z.strictObject({ ...point, dryRun: z.exactOptional(z.boolean()) }),
    bodyIsOptional: true,
    result: restored,
  }),
  undo: route({
    ...plain,
    method: 'POST',
    path: '/undo',
    about: "Take back the last restore in a directory's project",
    body: z.strictObject({
      directory,
      snapshotID: z.exactOptional(snapshotID),
      finish: z.exactOptional(z.boolean()),
      dryRun: z.exactOptional(z.boolean()),
    }),
    result: restored,
  }),
  gc: route({
    ...plain,
    method: 'POST',
    path: '/gc',
    about: 'Free what nobody needs: worktrees, branches, snapshots',
    body: z.strictObject({ dryRun: z.exactOptional(z.boolean()) }),
    bodyIsOptional: true,
    result: garbage,
  }),
  workspaces: route({
    ...plain,
    method: 'GET',
    path: '/workspace',
    about: 'The directories that sessions work in',
    result: list(workspaceUse),
  }),
}
