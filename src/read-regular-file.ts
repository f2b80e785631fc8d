import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { BoughError } from './tree/error.ts'

// A project, an agent or another program may replace a file by a pipe, a device or endless data. Opening a pipe waits for
// a writer: one such wait freezes the process, and keeps it from ending. So nothing here waits, and nothing reads on
// forever.

/** Far more than any list, note or setting that people write. */
export const usualLimit = 16 * 2 ** 20

const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY

/**
 * Reads a small file at once. Throws a `BoughError` for anything but a regular file and for one above `limit` bytes, and
 * the system's error where it cannot be opened. Links are followed.
 */
export function readRegularFile(path: string | Buffer, limit = usualLimit): Buffer {
  const file = openAtOnce(path)
  try {
    return readOpened(file, String(path), limit)
  } finally {
    closeSync(file)
  }
}

/** The same as text; null where there is no file, or none that may be read. */
export function readTextIfThere(
  path: string,
  encoding: 'utf8' | 'latin1' = 'utf8',
  limit = usualLimit,
): string | null {
  try {
    return readRegularFile(path, limit).toString(encoding)
  } catch (error) {
    if (error instanceof BoughError) throw error
    return null
  }
}

/** Opens a regular file to read as much of it as one wants. The same errors; `noFollow` refuses a link. */
export async function openRegularFile(path: string, { noFollow = false } = {}): Promise<FileHandle> {
  const file = await open(path, noFollow ? flags | constants.O_NOFOLLOW : flags).catch((error) => {
    throw socketError(error, path)
  })
  try {
    mustBeRegular(await file.stat(), path)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Throws a `BoughError` where a program that reads this path would wait or read too much; nothing there is fine. */
export function mustNotKeepWaiting(path: string, limit = usualLimit): void {
  const found = statIfThere(path)
  // Programs that want a file refuse a directory.
  if (!found || found.isDirectory()) return
  mustBeRegular(found, path)
  if (found.size > limit) throw tooLarge(path, limit)
}

function statIfThere(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null
  } catch {
    return null
  }
}

function openAtOnce(path: string | Buffer): number {
  try {
    return openSync(path, flags)
  } catch (error) {
    throw socketError(error, String(path))
  }
}

function readOpened(file: number, path: string, limit: number): Buffer {
  const found = fstatSync(file)
  mustBeRegular(found, path)
  if (found.size > limit) throw tooLarge(path, limit)
  // One more than there should be tells whether it grew.
  const pieces: Buffer[] = []
  let length = 0
  for (let wanted = found.size + 1; ; wanted = 2 ** 16) {
    const piece = Buffer.allocUnsafe(wanted)
    const read = readSync(file, piece)
    if (read === 0) return Buffer.concat(pieces)
    pieces.push(piece.subarray(0, read))
    length += read
    if (length > limit) throw tooLarge(path, limit)
  }
}

function mustBeRegular(found: Stats, path: string): void {
  if (found.isFile()) return
  // As reading it would.
  if (found.isDirectory())
    throw Object.assign(new Error(`EISDIR: ${path} is a directory`), { code: 'EISDIR' })
  throw irregular(path, found.isFIFO() ? 'a named pipe' : found.isSocket() ? 'a socket' : 'a device')
}

// A socket cannot be opened at all.
const socketError = (error: unknown, path: string): unknown =>
  error instanceof Error && 'code' in error && error.code === 'ENXIO' ? irregular(path, 'a socket') : error

const irregular = (path: string, what: string): BoughError =>
  new BoughError('file_unreadable', `${path} is ${what}. Put a regular file in its place, or remove it.`)

const tooLarge = (path: string, limit: number): BoughError =>
  new BoughError(
    'file_unreadable',
    `${path} is larger than ${Math.floor(limit / 2 ** 20)} MB. Make it smaller, or remove it.`,
  )
