import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { BoughError } from '../../tree/error.ts'

// Primary result codes of SQLite; the low byte of an extended code.
const sqlError = 1
const busy = 5
const locked = 6
const readonly = 8
const ioError = 10
const corrupt = 11
const full = 13
const cannotOpen = 14
const notADatabase = 26

/** `how` is what is wrong with the file. */
export const damaged = (path: string, how: string, cause?: ErrorOptions): BoughError =>
  new BoughError(
    'store_damaged',
    `${path} ${how}. Move it away to start afresh, or put a backup in its place; its -wal and -shm files go with it.`,
    cause,
  )

// The statements are bough's own: where a name in one is unknown, the file is wrong.
const isAboutTables = (error: unknown): boolean =>
  error instanceof Error && /^no such (table|column)/.test(error.message)

export const isBusy = (error: unknown): boolean => {
  const code = primaryCode(error)
  return code === busy || code === locked
}

/** SQLite's complaint in words that say what to do; anything that is not SQLite's stays as it is. */
export function storeError(error: unknown, path: string): unknown {
  const cause = { cause: error }
  switch (primaryCode(error)) {
    case busy:
    case locked:
      return new BoughError(
        'store_busy',
        `Another process keeps ${path} locked. Try again, or end that process.`,
        cause,
      )
    case full:
      return new BoughError(
        'disk_full',
        `The disk that holds ${path} is full. Free some space and try again.`,
        cause,
      )
    case ioError:
      return new BoughError(
        'disk_full',
        `Cannot read or write ${path}: the disk is full or failing. Free some space and try again.`,
        cause,
      )
    case cannotOpen:
      if (tooManyOpen(path))
        return new BoughError(
          'store_unwritable',
          `${path} cannot be opened: too many files are open. End some programs, or raise the limit (ulimit -n).`,
          cause,
        )
      return unwritable(path, cause)
    case readonly:
      return unwritable(path, cause)
    case corrupt:
    case notADatabase:
      return damaged(path, "is damaged or not bough's", cause)
    case sqlError:
      return isAboutTables(error) ? damaged(path, 'is damaged: it lacks tables of bough', cause) : error
    default:
      return error
  }
}

const unwritable = (path: string, cause: ErrorOptions): BoughError =>
  new BoughError(
    'store_unwritable',
    `Cannot write in ${dirname(path)}. Make it writable, or set BOUGH_HOME to a directory that is.`,
    cause,
  )

// SQLite does not say why it could not open a file.
function tooManyOpen(path: string): boolean {
  try {
    closeSync(openSync(path, 'r'))
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')
  }
}

function primaryCode(error: unknown): number | null {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : null
}
