import { chmodSync, lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { setImmediate as others } from 'node:timers/promises'
import { HeldDirectory, isCode } from '../../held-directory.ts'
import { fromText } from '../git.ts'

/** So many names are removed at once: waiting for each call takes longer than the call. */
const together = 64

/**
 * Removes a directory with all that is in it, in directories that are held: links are not followed, not even one that takes
 * a directory's name meanwhile. Nothing to do when it is not there.
 */
export async function removeDirectory(path: string): Promise<void> {
  const parent = holdIfThere(dirname(path))
  if (!parent) return
  using held = parent
  let count = 0
  const remove = async (directory: HeldDirectory, name: string): Promise<void> => {
    if (++count % together === 0) await others()
    if (!lstatSync(directory.at(name), { throwIfNoEntry: false })?.isDirectory())
      return unlinkIfThere(directory, name)
    {
      using below = directory.enter(name)
      // It is a link by now, or gone.
      if (!below) return unlinkIfThere(directory, name)
      for (const each of namesIn(below)) await permitted(below, () => remove(below, each))
    }
    rmdirIfThere(directory, name)
  }
  await remove(held, fromText(basename(path)))
}

function holdIfThere(path: string): HeldDirectory | null {
  try {
    return HeldDirectory.hold(path)
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return null
    throw error
  }
}

// Some tools leave directories in which nothing can be deleted, or listed.
async function permitted<T>(directory: HeldDirectory, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isCode(error, 'EACCES', 'EPERM')) throw error
    chmodSync(directory.at('.'), 0o700)
    return work()
  }
}

function namesIn(directory: HeldDirectory): readonly string[] {
  const list = () => readdirSync(directory.at('.'), { encoding: 'latin1' })
  try {
    return list()
  } catch (error) {
    if (!isCode(error, 'EACCES', 'EPERM')) throw error
    chmodSync(directory.at('.'), 0o700)
    return list()
  }
}

function unlinkIfThere(directory: HeldDirectory, name: string): void {
  try {
    unlinkSync(directory.at(name))
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error
  }
}

function rmdirIfThere(directory: HeldDirectory, name: string): void {
  try {
    rmdirSync(directory.at(name))
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error
  }
}
