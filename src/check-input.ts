import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import type { Agents } from './agents/agents.ts'
import { BoughError } from './tree/error.ts'

// What a caller may hand to Bough, said before anything is made.

export async function mustBeDirectory(path: string): Promise<void> {
  try {
    if (!(await stat(path)).isDirectory())
      throw new BoughError('directory_gone', `${path} is a file. Name a directory.`)
    await access(path, constants.R_OK | constants.X_OK)
  } catch (cause) {
    if (cause instanceof BoughError) throw cause
    const isClosed = cause instanceof Error && 'code' in cause && cause.code === 'EACCES'
    throw new BoughError(
      'directory_gone',
      isClosed
        ? `You may not enter and read the directory ${path}. Let yourself in with chmod or chown, or name another.`
        : `There is no directory ${path}. Make it, or name another.`,
      { cause },
    )
  }
}

/** Longer than any list shows. */
const longestTitle = 500

export function mustBeTitle(title: string | undefined): void {
  if (title === undefined) return
  if (title.trim() === '')
    throw new BoughError('bad_input', 'A title needs at least one character that shows.')
  if (title.length > longestTitle)
    throw new BoughError(
      'bad_input',
      `A title may have ${longestTitle} characters at most, and this has ${title.length}. Shorten it.`,
    )
}

// One that is not installed may be installed later; one that nobody knows never will be.
export function mustBeKnown(agents: Agents, name: string): void {
  const known = agents.all.map((driver) => driver.name)
  if (known.includes(name)) return
  throw new BoughError(
    'agent_unknown',
    `The session was one with "${name}", an agent that is not known here. Name another with --agent: ${known.join(', ')}.`,
  )
}

const longestPrompt = 8_000_000

/** A prompt this long is a file that went astray, and would keep the process from everything else. */
export function mustBePrompt(text: string): void {
  if (text.trim() === '') throw new BoughError('bad_input', 'There is nothing to send: the text is empty.')
  if (text.length <= longestPrompt) return
  throw new BoughError(
    'bad_input',
    'The text is longer than 8 million characters. Put it in a file and say where it is.',
  )
}
