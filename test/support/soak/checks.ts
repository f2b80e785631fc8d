import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { storeFile } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/store.ts'
import { person } from '../../../src/workspace/testing/ground.ts'
import { brokenIn } from '../comeback-invariants.ts'
import { allEvents, damageIn } from '../damage.ts'
import type { SoakGround } from './ground.ts'
import { relativesOf } from './proc.ts'
import { brokenReading, type Reader } from './readers.ts'
import { markIn, type Said } from './said.ts'

/** Everything that is wrong when nothing runs any more. */
export async function whatIsBroken(
  ground: SoakGround,
  store: Store,
  said: Said,
  readers: readonly Reader[],
): Promise<readonly string[]> {
  const all = await allEvents(store)
  return [
    ...integrity(ground),
    ...(await damageIn(store)),
    ...(await brokenIn(ground.home, store, { isTreeEdited: true })),
    ...(await lost(store, said)),
    ...(await twice(ground, store)),
    ...unheard(ground, said),
    ...readers.flatMap((reader) => brokenReading(reader, all)),
    ...(await stillHeld(store)),
    ...(await strayWorktrees(ground, store)),
    ...relativesOf(ground.home.data).map(({ pid, commandLine }) => `${pid} still runs: ${commandLine}`),
  ]
}

function integrity({ home }: SoakGround): readonly string[] {
  return inStore(home.data, (db) => [
    ...db.prepare('PRAGMA integrity_check').all(),
    ...db.prepare('PRAGMA foreign_key_check').all(),
  ])
    .map((row) => Object.values(row).join(' '))
    .filter((words) => words !== 'ok')
}

/** What somebody was told is done, and is not there. */
async function lost(store: Store, { prompts, turns, sessions, removed }: Said): Promise<readonly string[]> {
  const broken: string[] = []
  for (const [id, { forkPoint }] of sessions)
    if (!removed.has(id) && (await store.sessions.get(id))?.forkPoint !== forkPoint)
      broken.push(`${id} was made, and is not there as it was`)
  for (const [id, { sessionID, mark }] of prompts) {
    const message = await store.messages.get(id)
    if (!removed.has(sessionID) && (message?.sessionID !== sessionID || !message.text.startsWith(mark)))
      broken.push(`${id} was taken ("${mark}"), and is not there`)
  }
  for (const [id, sessionID] of turns)
    if (!removed.has(sessionID) && !(await store.turns.get(id))?.outcome)
      broken.push(`${id} began, and never ended`)
  return broken
}

/**
 * A message is there once, however often a program or Discord tried. Left out is what may have been typed: a terminal also offers
 * what was said before, to be said again.
 */
async function twice({ home }: SoakGround, store: Store): Promise<readonly string[]> {
  const typed = new Set(
    inStore(home.data, (db) => db.prepare('SELECT message_id AS id, what FROM inbox').all())
      .filter(({ what }) => !JSON.parse(String(what)).externalID)
      .map(({ id }) => id),
  )
  const marks = new Map<string, string[]>()
  for (const { id, messages: to } of await store.sessions.all())
    for (const message of await store.messages.range({ sessionID: id, from: 1, to: Math.max(to, 1) })) {
      const mark = message.role === 'user' && !typed.has(message.id) ? markIn(message.text) : null
      if (mark !== null) marks.set(mark, [...(marks.get(mark) ?? []), message.id])
    }
  return [...marks].flatMap(([mark, ids]) =>
    ids.length > 1 ? [`${mark} was said once, and is in ${ids.join(', ')}`] : [],
  )
}

/** What the owner wrote on Discord came in, each message once. */
function unheard({ home }: SoakGround, { onDiscord }: Said): readonly string[] {
  const times = new Map<string, number>()
  for (const { what } of inStore(home.data, (db) => db.prepare('SELECT what FROM inbox').all())) {
    const { externalID } = JSON.parse(String(what))
    if (externalID) times.set(externalID, (times.get(externalID) ?? 0) + 1)
  }
  return [...onDiscord].flatMap(([id, mark]) =>
    times.get(id) === 1 ? [] : [`${mark}, written on Discord, came in ${times.get(id) ?? 0} times`],
  )
}

async function stillHeld(store: Store): Promise<readonly string[]> {
  return (await store.owners.held()).map((each) => `Nobody let go of it: ${JSON.stringify(each)}`)
}

/** Worktrees are in the store, in the repository and on the disk, or nowhere. */
async function strayWorktrees({ home, project }: SoakGround, store: Store): Promise<readonly string[]> {
  const rows = (await store.workspaces.all()).filter(({ state }) => state !== 'removed')
  const paths = rows.map(({ path }) => path)
  const entries = person(project, 'worktree', 'list', '--porcelain')
    .split('\n')
    .flatMap((line) => /^worktree (.*)/.exec(line)?.[1] ?? [])
    .slice(1)
  const root = join(home.data, 'worktrees')
  const directories = existsSync(root)
    ? readdirSync(root).flatMap((name) => readdirSync(join(root, name)).map((each) => join(root, name, each)))
    : []
  return [
    ...rows.filter(({ state }) => state !== 'ready').map(({ path, state }) => `${path} is ${state}`),
    ...entries.filter((path) => !paths.includes(path)).map((path) => `git knows ${path}, the store does not`),
    ...paths.filter((path) => !entries.includes(path)).map((path) => `git does not know ${path}`),
    ...directories
      .filter((path) => !paths.some((each) => each === path || each.startsWith(`${path}/`)))
      .map((path) => `nobody knows ${path}`),
  ]
}

function inStore<T>(data: string, look: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(storeFile(data), { readOnly: true })
  try {
    return look(db)
  } finally {
    db.close()
  }
}
