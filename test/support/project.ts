import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Bough } from '../../src/bough.ts'
import type { Home } from '../../src/home.ts'
import type { BoughOptions } from '../../src/open-bough.ts'
import type { MessageID, SessionID } from '../../src/tree/ids.ts'
import { newDirectory, newRepository } from '../../src/workspace/testing/ground.ts'
import { newHome, openForTest, turn } from './bough.ts'

/** A git project with a session in it. */
export interface Project {
  readonly home: Home
  readonly bough: Bough
  readonly root: string
  readonly sessionID: SessionID
  /** Runs a turn; gives its last message, where a fork has the files of its end. */
  turn(...instructions: readonly string[]): Promise<MessageID>
}

export interface ProjectOptions extends BoughOptions {
  readonly files?: Readonly<Record<string, string>>
  readonly config?: object
  readonly git?: boolean
}

export async function newProject({
  files = { 'a.txt': 'a\n' },
  config = {},
  git = true,
  ...options
}: ProjectOptions = {}): Promise<Project> {
  const home = await newHome()
  mkdirSync(dirname(home.config), { recursive: true })
  writeFileSync(home.config, JSON.stringify({ permissions: { allow: ['run'] }, ...config }))
  const root = git ? await newRepository(files) : await newDirectory()
  const bough = await openForTest(home, options)
  const { id: sessionID } = await bough.create({ directory: root, title: 'The project' })
  return {
    home,
    bough,
    root,
    sessionID,
    turn: (...instructions) => lastOf(bough, sessionID, instructions),
  }
}

/** Runs a turn in a session to its end; gives its last message. */
export async function lastOf(
  bough: Bough,
  sessionID: SessionID,
  instructions: readonly string[],
): Promise<MessageID> {
  const last = (await turn(bough, sessionID, instructions.join('\n'))).at(-1)
  if (!last) throw new Error('the turn said nothing')
  return last.id
}

/** As if they had been written a day ago: gc leaves alone what may still be on its way. */
export function ageRefs(data: string): void {
  const root = join(data, 'snapshots')
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const then = (Date.now() - 24 * 60 * 60_000) / 1000
    if (/refs\/snapshots\//.test(name)) utimesSync(join(root, name), then, then)
  }
}
