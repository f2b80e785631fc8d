import { shortID } from '../../tree/ids.ts'
import { plainLine } from '../../tree/plain-text.ts'
import type { Session } from '../../tree/session.ts'
import { ignoredWords, type WorkspaceEnd } from '../../tree/workspace.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'

export async function run({ args, out, open }: Context): Promise<ExitCode> {
  const bough = await open()
  // All are found before any is deleted: a mistyped id changes nothing.
  const sessions = new Map<string, Session>()
  for (const typed of args.words('session')) {
    const session = await bough.findSession(typed)
    sessions.set(session.id, session)
  }
  for (const { id, title } of sessions.values()) {
    const { kept, workspace } = await bough.remove(id)
    const tombstone = kept ? ' A tombstone stays: its forks stand on its messages.' : ''
    out.line(`Deleted "${plainLine(title)}" ${shortID(id)}.${tombstone}`)
    if (workspace) out.line(endOfWorktree(workspace))
  }
  return 0
}

function endOfWorktree(end: WorkspaceEnd): string {
  const { path, branch, kept, branchKept, saved } = end
  const ignored = ignoredWords(end)
  return kept === null
    ? [
        `Its worktree is gone${ignored === '' ? '' : `; ${ignored}`}.`,
        ...(saved ? [`Its uncommitted work is kept: bough undo ${saved} brings it back.`] : []),
        ...(branchKept ? [`Its branch ${branch} stays: it has commits of its own.`] : []),
      ].join(' ')
    : `Its worktree ${plainLine(path)} stays: ${plainLine(kept)}.`
}
