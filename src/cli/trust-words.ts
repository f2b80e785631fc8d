import type { Bough } from '../bough.ts'
import { type DirectoryTrust, partLine, unapproved, waitingFor } from '../tree/directory-trust.ts'
import { plainLine } from '../tree/plain-text.ts'
import type { Session } from '../tree/session.ts'
import type { Context } from './context.ts'
import type { Output } from './output.ts'

/** What is open for the agent of a session: null where nothing of the project waits for trust. */
export async function openTrust(
  bough: Bough,
  { directory, agent }: Pick<Session, 'directory' | 'agent'>,
): Promise<DirectoryTrust | null> {
  // Whatever is wrong with the directory, the turn says.
  const trust = await bough.trust(directory).catch(() => null)
  return trust && waitingFor(trust, agent).length > 0 ? trust : null
}

/** One line on stderr: the session runs all the same. */
export async function tellIfUntrusted({ err }: Context, bough: Bough, session: Session): Promise<void> {
  const trust = await openTrust(bough, session)
  if (trust) err.line(`bough: ${noticeOf(trust)}`)
}

export function noticeOf(trust: DirectoryTrust): string {
  const root = plainLine(trust.root)
  const count = unapproved(trust).length
  const parts = count === 1 ? '1 part' : `${count} parts`
  return trust.state === 'changed'
    ? `${parts} of the project's agent settings are new and stay unloaded. To see and approve them: bough trust ${root}`
    : `${root} is not trusted: its agent settings (${parts}) stay unloaded. To see and approve them: bough trust ${root}`
}

/** What waits for the person, line by line. */
export function printParts(output: Output, trust: DirectoryTrust): void {
  for (const part of trust.parts) output.line(`  ${part.approved ? '✓' : '·'} ${plainLine(partLine(part))}`)
}

/** Shows what would be loaded and asks; anything but a clear yes leaves it as it is. */
export async function askForTrust(
  { err }: Context,
  bough: Bough,
  directory: string,
  trust: DirectoryTrust,
  ask: (question: string) => Promise<string>,
): Promise<boolean> {
  const open = unapproved(trust)
  err.line(
    trust.state === 'changed'
      ? `bough: new in ${plainLine(trust.root)}, which you trust:`
      : `bough: ${plainLine(trust.root)} is not trusted. Agents there would load and run:`,
  )
  printParts(err, { ...trust, parts: open })
  const answer = await ask(`${trust.state === 'changed' ? 'Approve these?' : 'Trust it?'} y(es) n(o): `)
  if (!/^y(es)?$/i.test(answer.trim())) return false
  await bough.grantTrust(
    directory,
    open.map(({ id }) => id),
  )
  return true
}
