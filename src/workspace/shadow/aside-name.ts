import { createHash } from 'node:crypto'
import { isRunning, thisProcess } from '../../process-identity.ts'
import { look } from '../disk-size.ts'

// The only place that makes and reads names of files that belong to one process, until it renames or removes them:
// `name.pid-machine-random`.

const form = /\.(\d+)-([0-9a-f]{8})-[0-9a-f]{8}(\.lock)?$/

/** Milliseconds until a file aside is nobody's any more, whatever is known of its process. */
const longest = 24 * 60 * 60_000

/** A name that no other process uses, here or in a container that shares the directory. */
export const asideName = (name: string): string =>
  `${name}.${process.pid}-${machinePrint()}-${crypto.randomUUID().slice(0, 8)}`

export const isAsideName = (name: string): boolean => form.test(name)

/** Whether whoever made it may still need it: of a process elsewhere nobody can tell, so its files get their time. */
export function mayBeNeeded(path: string): boolean {
  const [, pid, machine] = form.exec(path) ?? []
  const isYoung = (look(path)?.mtimeMs ?? 0) > Date.now() - longest
  return isYoung && (machine !== machinePrint() || isRunning(Number(pid)))
}

const machinePrint = (): string =>
  createHash('sha256').update(thisProcess().machine).digest('hex').slice(0, 8)
