import { livingSession } from '../store/find.ts'
import { filesWord } from '../tree/file-change.ts'
import type { Forked, ForkFiles } from '../tree/files-mode.ts'
import type { MessageID, SessionID } from '../tree/ids.ts'
import type { Session } from '../tree/session.ts'
import { needsDirectory } from '../turns/turns.ts'
import { beginFork, branch, mustBeginThere } from './branch.ts'
import { type Chosen, chooseFiles, filesOf } from './choose-files.ts'
import { forkIntoWorktree } from './fork-into-worktree.ts'
import type { ForkOptions, ForkParts } from './fork-options.ts'
import { forkPointOf } from './fork-point.ts'
import type { PointFiles } from './point-files.ts'
import { planToPutBack, putBack } from './put-back.ts'

/** Forks a session with the files that `files` says. One whose making fails half way leaves nothing behind. */
export async function fork(parts: ForkParts, parentID: SessionID, options: ForkOptions): Promise<Forked> {
  if (options.files === 'same') {
    await needsDirectory(await livingSession(parts.store, parentID))
    const session = await branch(parts, parentID, options)
    return { ...session, files: filesOf(await chooseFiles(parts, session, null, 'same')) }
  }
  const { parent, forkPoint, chosen } = await choose(parts, parentID, options)
  switch (chosen.mode) {
    case 'same':
      return forkInPlace(parts, parent, forkPoint, options, chosen)
    case 'restore':
      return forkAndPutBack(parts, parent, forkPoint, options, withPoint(chosen))
    case 'worktree':
    case 'clean':
      return forkIntoWorktree(parts, parent, forkPoint, options, withPoint(chosen))
  }
}

/** What a fork would do about files, without doing it. */
export async function previewFork(
  parts: ForkParts,
  parentID: SessionID,
  options: ForkOptions,
): Promise<ForkFiles> {
  const { parent, chosen } = await choose(parts, parentID, options)
  if (chosen.mode !== 'restore' || !chosen.point) return filesOf(chosen)
  const { changes, left } = await planToPutBack(parts, parent.directory, chosen.point.snapshot)
  return { ...filesOf(chosen), changes, left }
}

async function choose(
  parts: ForkParts,
  parentID: SessionID,
  options: ForkOptions,
): Promise<{ parent: Session; forkPoint: MessageID | null; chosen: Chosen }> {
  const { files = 'auto' } = options
  const parent = await livingSession(parts.store, parentID)
  if (files === 'same' || files === 'restore' || parent.workspaceID === null) await needsDirectory(parent)
  const forkPoint = await forkPointOf(parts.store, parent, options)
  await mustBeginThere(parts.store, parts, parent, forkPoint, options)
  return { parent, forkPoint, chosen: await chooseFiles(parts, parent, forkPoint, files) }
}

async function forkInPlace(
  parts: ForkParts,
  parent: Session,
  forkPoint: MessageID | null,
  options: ForkOptions,
  chosen: Chosen,
): Promise<Forked> {
  const { why, notices, now } = chosen
  const session = await parts.store.transaction(async (tx) => {
    await now?.put(tx)
    return beginFork(tx, parts, parent.id, forkPoint, options, {
      ...(notices.length > 0 && { notice: [why, ...notices].join(' ') }),
      ...(now && { snapshotID: now.snapshot.id }),
    })
  })
  return { ...session, files: filesOf(chosen) }
}

async function forkAndPutBack(
  parts: ForkParts,
  parent: Session,
  forkPoint: MessageID | null,
  options: ForkOptions,
  chosen: Chosen & { readonly point: PointFiles },
): Promise<Forked> {
  const target = chosen.point.snapshot
  const noticesOf = (count: number): readonly string[] => [
    `The files were put back to the fork point: ${filesWord(count)} changed. "bough undo" takes it back.`,
    ...chosen.notices,
  ]
  const { made, restored } = await putBack(parts, parent.directory, target, {
    whenDone: (tx, { changes }) =>
      beginFork(tx, parts, parent.id, forkPoint, options, {
        notice: noticesOf(changes.length).join(' '),
        snapshotID: target.id,
      }),
  })
  const { changes, left } = restored
  return { ...made, files: { ...filesOf(chosen), notices: noticesOf(changes.length), changes, left } }
}

function withPoint(chosen: Chosen): Chosen & { readonly point: PointFiles } {
  if (!chosen.point) throw new Error(`${chosen.mode} needs the files of the fork point.`)
  return { ...chosen, point: chosen.point }
}
