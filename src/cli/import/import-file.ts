import type { Readable } from 'node:stream'
import type { ImportOptions } from '../../bough.ts'
import { openRegularFile } from '../../read-regular-file.ts'
import { BoughError, hasCode } from '../../tree/error.ts'
import type { Session } from '../../tree/session.ts'
import { bytesWord } from '../bytes.ts'
import type { Context } from '../context.ts'
import { withProgress } from '../progress.ts'
import { interruptible } from './interruptible.ts'

/** A session that "bough export" wrote, to a file or to the pipe that `-` stands for. */
export async function importFile(
  context: Context,
  path: string,
  options: Omit<ImportOptions, 'signal'>,
): Promise<Session> {
  const { stdin, err, open } = context
  const name = path === '-' ? 'What came from stdin' : path
  const text = path === '-' ? await readAll(name, stdin) : await readFile(path)
  const { parseSessionDocument } = await import('../../tree/session-document.ts')
  const document = parseSessionDocument(name, text)
  const bough = await open()
  // Only now: until here there is nothing to take back.
  return interruptible((signal) =>
    withProgress(err, 'importing', bough.importDocument(document, { ...options, signal })),
  )
}

async function readFile(path: string): Promise<string> {
  try {
    await using file = await openRegularFile(path)
    return await readAll(path, file.createReadStream({ autoClose: false }))
  } catch (error) {
    if (hasCode(error, 'file_unreadable'))
      throw new BoughError(
        'document_invalid',
        `${error.message} To import from a pipe: bough import - < ${path}`,
      )
    if (!(error instanceof Error && 'code' in error) || error instanceof BoughError) throw error
    throw new BoughError('document_invalid', complaintOf(path, String(error.code), error.message), {
      cause: error,
    })
  }
}

function complaintOf(path: string, code: string, message: string): string {
  switch (code) {
    case 'ENOENT':
      return `There is no file ${path}. Name one that "bough export <session> --output FILE.json" wrote.`
    case 'EISDIR':
      return `${path} is a directory. Name a file in it.`
    case 'EACCES':
    case 'EPERM':
      return `${path} cannot be read: you are not permitted to. Make it readable, or copy it.`
    default:
      return `${path} cannot be read (${message}). Name another file.`
  }
}

/** A larger one does not fit in memory together with what is made of it. */
const largest = 256_000_000

async function readAll(name: string, stream: Readable): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of stream) {
    pieces.push(Buffer.from(piece))
    length += pieces.at(-1)?.length ?? 0
    if (length > largest)
      throw new BoughError(
        'document_invalid',
        `${name} is larger than ${bytesWord(largest)}, too large for one session.`,
      )
  }
  return Buffer.concat(pieces).toString('utf8')
}
