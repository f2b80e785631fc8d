import { createHash } from 'node:crypto'
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startOf, thisProcess } from '../../process-identity.ts'
import { BoughError } from '../../tree/error.ts'

// Who uses a shadow now. Several may capture at once, tidying is for one alone.
//
// Everybody first puts up a sign, an empty file in `use/` whose name says who it is and what for, and then looks at the
// others': so of two that come at once at least one sees the other.
//
//   a user    sees a tidier             waits until its sign is gone
//   a tidier  sees anybody              takes its own sign down and goes
//   anybody   does not see its own sign: the shadow was removed under it; puts it up again and looks again
//
// A sign whose process is gone counts for nothing, and whoever sees it takes it down.

type Role = 'user' | 'tidier'

/** How long somebody waits for a tidier. */
const patience = 2 * 60_000

/** Whether a process of another machine, or of before a restart of this one, still runs cannot be told by its pid: it
 * touches its sign from time to time, and one that was not touched for so long counts for nothing. */
const longest = 60_000

/** Does work that makes or needs objects that no ref keeps yet; waits while somebody tidies. */
export async function usingShadow<T>(directory: string, work: () => Promise<T>, wait = patience): Promise<T> {
  const own = signOf('user', directory)
  const until = Date.now() + wait
  try {
    for (;;) {
      // Other users are none of its business: many captures at once need not look at each other.
      if (!(await seesOthers(own, ['tidier']))) break
      if (Date.now() > until) {
        throw new BoughError(
          'snapshot_failed',
          'Another process tidies the snapshots of this project, and does not come to an end. Try again later.',
        )
      }
      await pause(20)
    }
    return await touching(own, work)
  } finally {
    await rm(own, { force: true })
  }
}

/** Does work that nobody else may see half done; null, and nothing done, when somebody uses the shadow now. */
export async function aloneInShadow<T>(directory: string, work: () => Promise<T>): Promise<T | null> {
  const own = signOf('tidier', directory)
  try {
    return (await seesOthers(own, ['user', 'tidier'])) ? null : await touching(own, work)
  } finally {
    await rm(own, { force: true })
  }
}

async function touching<T>(own: string, work: () => Promise<T>): Promise<T> {
  const touch = () => void utimes(own, new Date(), new Date()).catch(() => {})
  const timer = setInterval(touch, longest / 4).unref()
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}

// The whole name is there at once: nobody ever reads half of a sign.
function signOf(role: Role, directory: string): string {
  const { pid, started, machine } = thisProcess()
  const name = [role, pid, print(started), print(machine), crypto.randomUUID().slice(0, 8)].join('.')
  return join(directory, 'use', name)
}

const print = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12)

// Makes sure that the sign is there, then looks whether others of these roles are.
async function seesOthers(own: string, roles: readonly Role[]): Promise<boolean> {
  const place = dirname(own)
  for (;;) {
    const names = await readdir(place).catch(noneIfMissing)
    if (names.includes(basename(own)))
      return isAnyThere(
        place,
        names.filter((name) => name !== basename(own) && roles.some((role) => name.startsWith(`${role}.`))),
      )
    await mkdir(place, { recursive: true, mode: 0o700 })
    await writeFile(own, '').catch(noneIfMissing)
  }
}

async function isAnyThere(place: string, names: readonly string[]): Promise<boolean> {
  let isAny = false
  for (const name of names) {
    if (await isThere(place, name)) isAny = true
    else await rm(join(place, name), { force: true })
  }
  return isAny
}

async function isThere(place: string, name: string): Promise<boolean> {
  const [, pid, started, machine] = name.split('.')
  if (machine === print(thisProcess().machine)) {
    const start = startOf(Number(pid))
    return start !== null && print(start) === started
  }
  const found = await stat(join(place, name)).catch(() => null)
  return found !== null && found.mtimeMs > Date.now() - longest
}

function noneIfMissing(error: unknown): readonly string[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
  throw error
}
