import type { Bough } from '../../bough.ts'
import { shortID } from '../../tree/ids.ts'
import { plainLine } from '../../tree/plain-text.ts'
import type { Session } from '../../tree/session.ts'
import { ignoredWords, type WorkspaceEnd } from '../../tree/workspace.ts'
import type { ExitCode } from '../command.ts'
import { agreed } from '../confirm.ts'
import type { Context } from '../context.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args, out, err, interactive, open } = context
  const bough = await open()
  // All are found before any is deleted: a mistyped id changes nothing.
  const sessions = new Map<string, Session>()
  for (const typed of args.words('session')) {
    const session = await bough.findSession(typed)
    sessions.set(session.id, session)
  }
  if (interactive && !args.flag('yes'))
    for (const session of sessions.values()) err.line(await whatGoes(bough, session))
  if (!(await agreed(context, sessions.size === 1 ? 'Delete it?' : `Delete these ${sessions.size}?`))) {
    err.line('bough: nothing was deleted.')
    return 1
  }
  for (const { id, title } of sessions.values()) {
    const { kept, workspace } = await bough.remove(id)
    const tombstone = kept ? ' A tombstone stays: its forks stand on its messages.' : ''
    out.line(`Deleted "${plainLine(title)}" ${shortID(id)}.${tombstone}`)
    if (workspace) out.line(endOfWorktree(workspace))
  }
  return 0
}

async function whatGoes(bough: Bough, { id, title, messages, workspaceID }: Session): Promise<string> {
  const forks = (await bough.children(id)).length
  const facts = [
    counted(messages, 'message'),
    ...(workspaceID === null ? [] : ['its worktree goes too, unless it is still needed']),
    ...(forks === 0 ? [] : [`${counted(forks, 'fork')} of it ${forks === 1 ? 'stays' : 'stay'}`]),
  ]
  return `bough: this deletes "${plainLine(title)}" ${shortID(id)}: ${facts.join('; ')}.`
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

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
