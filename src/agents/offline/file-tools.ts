import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { HeldDirectory, inDirectoryOf } from '../../held-directory.ts'
import { BoughError } from '../../tree/error.ts'
import { BoundedText } from './bounded-text.ts'
import type { FileStep } from './instructions.ts'

// `path` is the real one that was approved. Somebody may have put a link in its place since: no link is followed, in
// its directories neither.

/** Does it to the file at `path` and returns what there is to tell; throws when it cannot be done. */
export async function useFile(step: FileStep, path: string, signal: AbortSignal): Promise<string> {
  switch (step.kind) {
    case 'read':
      return readText(path, signal)
    case 'write':
    case 'append': {
      const line = `${step.text}\n`
      write(path, line, step.kind)
      const done = step.kind === 'write' ? 'Wrote' : 'Appended'
      return `${done} ${Buffer.byteLength(line)} bytes to ${step.file}.`
    }
    case 'delete': {
      atRealPath(path, (file) => {
        if (lstatSync(file).isDirectory()) refuseDirectory()
        unlinkSync(file)
      })
      return `Deleted ${step.file}.`
    }
  }
}

/** Does work at a real path, in directories that are held open; what is returned must not need the path any more. */
function atRealPath<T>(path: string, work: (file: Buffer) => T, missing?: 'make it'): T {
  using root = HeldDirectory.hold('/')
  const bytes = Buffer.from(path.replace(/^\/+/, '')).toString('latin1')
  const done = inDirectoryOf(root, bytes, (directory, name) => ({ is: work(directory.at(name)) }), missing)
  if (done) return done.is
  // Says in the system's words what is missing.
  lstatSync(path)
  throw new BoughError('bad_input', 'a directory on its way was replaced by a link meanwhile')
}

/** Where a pipe has come meanwhile, opening it waits for nobody. */
const flags = constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY

function write(path: string, text: string, kind: 'write' | 'append'): void {
  const open = (file: Buffer): number => {
    const found = lstatSync(file, { throwIfNoEntry: false })
    if (found && !found.isSymbolicLink()) refuseUnlessFile(found)
    const append = kind === 'append' ? constants.O_APPEND : 0
    return openSync(file, constants.O_WRONLY | constants.O_CREAT | append | flags, 0o666)
  }
  const file = atRealPath(path, open, 'make it')
  try {
    refuseUnlessFile(fstatSync(file))
    if (kind === 'write') ftruncateSync(file)
    writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
}

async function readText(path: string, signal: AbortSignal): Promise<string> {
  const file = atRealPath(path, (name) => {
    const found = lstatSync(name)
    if (!found.isSymbolicLink()) refuseUnlessFile(found)
    return openSync(name, constants.O_RDONLY | flags)
  })
  const text = new BoundedText()
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    refuseUnlessFile(fstatSync(file))
    for await (const chunk of createReadStream('', { fd: file, signal, autoClose: false }))
      text.add(decodeText(decoder, chunk))
    text.add(decoder.decode())
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return `A binary file of ${fstatSync(file).size} bytes.`
  } finally {
    closeSync(file)
  }
  return text.toString()
}

// Throws a TypeError, as the decoder does for what is not UTF-8, also for the mark of a binary file that is.
function decodeText(decoder: TextDecoder, chunk: Buffer): string {
  if (chunk.includes(0)) throw new TypeError('There is a NUL byte in it.')
  return decoder.decode(chunk, { stream: true })
}

// A named pipe or a device could hold the turn forever.
function refuseUnlessFile(stats: Stats): void {
  if (stats.isDirectory()) refuseDirectory()
  if (!stats.isFile()) throw new BoughError('bad_input', 'it is not a plain file')
}

function refuseDirectory(): never {
  throw new BoughError('bad_input', 'it is a directory, not a file (EISDIR)')
}
