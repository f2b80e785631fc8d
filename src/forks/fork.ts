import { livingSession } from '../store/find.ts'
import { filesWord } from '../tree/file-change.ts'
import type { Forked, ForkPreview } from '../tree/files-mode.ts'
import type { SessionID } from '../tree/ids.ts'
import type { Session } from '../tree/session.ts'
import { mustHaveDirectory } from '../turns/must-have-directory.ts'
import { type Beginning, beginFork, beginningOf } from './branch.ts'
import { forkContextOf } from './choose-context.ts'
import { type Chosen, chooseFiles, filesOf, toldOf } from './choose-files.ts'
import { forkIntoWorktree } from './fork-into-worktree.ts'
import type { ForkOptions, ForkParts } from './fork-options.ts'
import type { PointFiles } from './point-files.ts'
import { planToPutBack, putBack } from './put-back.ts'

/** Forks a session with the files that `files` says. One whose making fails half way leaves nothing behind. */
export async function fork(parts: ForkParts, parentID: SessionID, options: ForkOptions): Promise<Forked> {
  const { parent, beginning, chosen } = await choose(parts, parentID, options)
  options.signal?.throwIfAborted()
  switch (chosen.mode) {
    case 'same':
      return forkInPlace(parts, parent, beginning, options, chosen)
    case 'restore':
      return forkAndPutBack(parts, parent, beginning, options, withPoint(chosen))
    case 'worktree':
    case 'clean':
      return forkIntoWorktree(parts, parent, beginning, options, withPoint(chosen))
  }
}

/** What a fork would do, without doing it. */
export async function previewFork(
  parts: ForkParts,
  parentID: SessionID,
  options: ForkOptions,
): Promise<ForkPreview> {
  const { parent, beginning, chosen } = await choose(parts, parentID, options)
  const context = forkContextOf(beginning.context)
  if (chosen.mode !== 'restore' || !chosen.point) return { files: filesOf(chosen), context }
  const { changes, left } = await planToPutBack(parts, parent.directory, chosen.point.snapshot)
  return { files: { ...filesOf(chosen), changes, left }, context }
}

async function choose(
  parts: ForkParts,
  parentID: SessionID,
  options: ForkOptions,
): Promise<{ parent: Session; beginning: Beginning; chosen: Chosen }> {
  const { files = 'auto' } = options
  const parent = await livingSession(parts.store, parentID)
  if (files === 'same' || files === 'restore' || parent.workspaceID === null) await mustHaveDirectory(parent)
  const beginning = await beginningOf(parts, parent, options)
  return { parent, beginning, chosen: await chooseFiles(parts, parent, beginning.forkPoint, files) }
}

async function forkInPlace(
  parts: ForkParts,
  parent: Session,
  beginning: Beginning,
  options: ForkOptions,
  chosen: Chosen,
): Promise<Forked> {
  const { why, notices, now } = chosen
  const session = await parts.store.transaction((tx) =>
    beginFork(tx, parts, parent.id, beginning, options, {
      ...(notices.length > 0 && { notice: [why, ...notices].join(' ') }),
      ...(now && { snapshotID: now.id }),
    }),
  )
  return { ...session, files: filesOf(chosen), context: forkContextOf(beginning.context) }
}

async function forkAndPutBack(
  parts: ForkParts,
  parent: Session,
  beginning: Beginning,
  options: ForkOptions,
  chosen: Chosen & { readonly point: PointFiles },
): Promise<Forked> {
  const target = chosen.point.snapshot
  const noticesOf = (count: number): readonly string[] => [
    count === 0
      ? 'The files are as they were at the fork point: nothing was put back.'
      : `The files were put back to the fork point: ${filesWord(count)} changed. "bough undo" takes it back.`,
    ...chosen.notices,
  ]
  const { made, restored } = await putBack(parts, parent.directory, target, {
    ...(options.signal && { signal: options.signal }),
    whenDone: (tx, { changes }) =>
      beginFork(tx, parts, parent.id, beginning, options, {
        notice: noticesOf(changes.length).join(' '),
        told: toldOf(chosen),
        snapshotID: target.id,
      }),
  })
  const { changes, left } = restored
  const files = { ...filesOf(chosen), notices: noticesOf(changes.length), changes, left }
  return { ...made, files, context: forkContextOf(beginning.context) }
}

function withPoint(chosen: Chosen): Chosen & { readonly point: PointFiles } {
  if (!chosen.point) throw new Error(`${chosen.mode} needs the files of the fork point.`)
  return { ...chosen, point: chosen.point }
}
