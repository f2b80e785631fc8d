import { closeSync, constants, openSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { usualLimit } from '../../read-regular-file.ts'
import { BoughError } from '../../tree/error.ts'

/** Milliseconds after which it is asked what keeps git; then after twice as many, and so on. */
const suspicious = 1_000

/**
 * Does work that has git look through a directory. git opens each list of rules on its way, and waits forever at one
 * that is a pipe: then the signal comes, and the error names the list.
 */
export async function namingWaitingRules<T>(
  root: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const over = new AbortController()
  watch(root, stop, over.signal)
  try {
    const result = await work(stop.signal)
    // Where git was killed, the work may have taken its files for unreadable.
    stop.signal.throwIfAborted()
    return result
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error
  } finally {
    over.abort()
  }
}

async function watch(root: string, stop: AbortController, over: AbortSignal): Promise<void> {
  for (let pause = suspicious; ; pause *= 2) {
    await setTimeout(pause, null, { signal: over, ref: false }).catch(() => {})
    if (over.aborted) return
    const path = await findWaitingRules(root, over)
    if (path !== null) return stop.abort(keptBy(path))
  }
}

async function findWaitingRules(root: string, over: AbortSignal): Promise<string | null> {
  const directories = [root]
  for (let directory = directories.pop(); directory !== undefined; directory = directories.pop()) {
    if (over.aborted) return null
    for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
      const path = join(directory, entry.name)
      if (/^\.git(ignore|attributes)$/.test(entry.name) && keepsWaiting(path, entry.isFIFO())) return path
      // Links are not followed, by git neither.
      if (entry.isDirectory() && entry.name !== '.git') directories.push(path)
    }
  }
  return null
}

// A pipe can be opened for writing, without waiting, only while somebody waits to read it.
function keepsWaiting(path: string, isPipe: boolean): boolean {
  try {
    if (!isPipe) return statSync(path).size > usualLimit
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK))
    return true
  } catch {
    return false
  }
}

const keptBy = (path: string): BoughError =>
  new BoughError(
    'file_unreadable',
    `${path} is a named pipe or too large for git to read. Put a regular file in its place, or remove it.`,
  )
