import { createWriteStream } from 'node:fs'
import { realpath, rename, rm, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { BoughError } from '../tree/error.ts'

/** Writes a file in pieces. One that is there stays as it was until the new one is whole. */
export async function writeFile(path: string, pieces: AsyncIterable<string>): Promise<void> {
  const found = await stat(path).catch(() => null)
  if (found?.isDirectory()) throw unwritable(path, 'it is a directory')
  // Something like /dev/stdout is written to, not replaced.
  if (found && !found.isFile()) return write(path, path, pieces)
  const file = found ? await realpath(path) : path
  const aside = `${file}.${crypto.randomUUID()}`
  try {
    await write(path, aside, pieces, found?.mode)
    await rename(aside, file)
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
}

async function write(path: string, to: string, pieces: AsyncIterable<string>, mode = 0o666): Promise<void> {
  try {
    await pipeline(pieces, createWriteStream(to, { mode }))
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    // The rest of its words names the file that is written aside.
    throw unwritable(path, error.message.split(',', 1)[0] ?? '', error)
  }
}

const unwritable = (path: string, why: string, cause?: unknown): BoughError =>
  new BoughError('output_unwritable', `${path} cannot be written (${why}). Name another file.`, { cause })
