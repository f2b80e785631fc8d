import { setTimeout as pause } from 'node:timers/promises'
import { GitError } from '../git.ts'

// git reads all entries of a repository, also one that another git is writing at that moment, and gives up when it finds
// the file `commondir` empty. That is over at once, unless the other one was killed there.

/** How often, and with how many milliseconds between, it is tried. */
const tries = { most: 50, pause: 20 }

/** The entry that was not written to its end, where git gave up because of one. */
export const halfWritten = (error: unknown): string | undefined =>
  error instanceof GitError ? /failed to read (.*)\/commondir: /.exec(error.stderr)?.[1] : undefined

/** Runs git until no other git stands in its way; `takeBack` removes what a try that failed has left. */
export async function pastHalfWritten<T>(
  run: () => Promise<T>,
  takeBack: () => Promise<void> = async () => {},
): Promise<T> {
  for (let left = tries.most - 1; ; left--) {
    try {
      return await run()
    } catch (error) {
      if (halfWritten(error) === undefined || left === 0) throw error
      await takeBack()
      await pause(tries.pause)
    }
  }
}
