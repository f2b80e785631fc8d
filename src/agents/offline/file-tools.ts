import { constants, type Stats } from 'node:fs'
import { appendFile, lstat, mkdir, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openRegularFile } from '../../read-regular-file.ts'
import { BoughError } from '../../tree/error.ts'
import { BoundedText } from './bounded-text.ts'
import type { FileStep } from './instructions.ts'

/** Does it to the file at `path` and returns what there is to tell; throws when it cannot be done. */
export async function useFile(step: FileStep, path: string, signal: AbortSignal): Promise<string> {
  switch (step.kind) {
    case 'read':
      return readText(path, signal)
    case 'write':
    case 'append': {
      const line = `${step.text}\n`
      await makeRoomFor(path)
      await (step.kind === 'write' ? writeFile : appendFile)(path, line, { flag: flagFor(step.kind) })
      const done = step.kind === 'write' ? 'Wrote' : 'Appended'
      return `${done} ${Buffer.byteLength(line)} bytes to ${step.file}.`
    }
    case 'delete': {
      const stats = await lstat(path)
      if (stats.isDirectory()) refuseDirectory()
      await unlink(path)
      return `Deleted ${step.file}.`
    }
  }
}

// Where a pipe has come meanwhile, opening it does not wait for a reader.
const flagFor = (kind: 'write' | 'append'): number =>
  constants.O_WRONLY |
  constants.O_CREAT |
  constants.O_NONBLOCK |
  (kind === 'write' ? constants.O_TRUNC : constants.O_APPEND)

async function readText(path: string, signal: AbortSignal): Promise<string> {
  const stats = await stat(path)
  refuseUnlessFile(stats)
  // It may be another by now.
  await using file = await openRegularFile(path)
  const text = new BoundedText()
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    for await (const chunk of file.createReadStream({ signal, autoClose: false }))
      text.add(decodeText(decoder, chunk))
    text.add(decoder.decode())
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return `A binary file of ${stats.size} bytes.`
  }
  return text.toString()
}

// Throws a TypeError, as the decoder does for what is not UTF-8, also for the mark of a binary file that is.
function decodeText(decoder: TextDecoder, chunk: Buffer): string {
  if (chunk.includes(0)) throw new TypeError('There is a NUL byte in it.')
  return decoder.decode(chunk, { stream: true })
}

async function makeRoomFor(path: string): Promise<void> {
  const stats = await stat(path).catch(nullWhenMissing)
  if (stats !== null) refuseUnlessFile(stats)
  else await mkdir(dirname(path), { recursive: true })
}

function nullWhenMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
  throw error
}

// A named pipe or a device could hold the turn forever.
function refuseUnlessFile(stats: Stats): void {
  if (stats.isDirectory()) refuseDirectory()
  if (!stats.isFile()) throw new BoughError('bad_input', 'it is not a plain file')
}

function refuseDirectory(): never {
  throw new BoughError('bad_input', 'it is a directory, not a file (EISDIR)')
}
