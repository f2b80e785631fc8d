import { constants } from 'node:fs'
import { chmod, link, open, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Home, makeOwnDirectory } from '../home.ts'
import { BoughError, messageOf } from '../tree/error.ts'

/** The token that whoever comes in must bring. */
export interface Token {
  readonly value: string
  /** The file that it is in; null when it came from the environment. */
  readonly file: string | null
}

/** A shorter one could be guessed. */
const shortest = 16

export const usualTokenFile = (home: Home): string => join(home.data, 'token')

/** The token of a server that starts: given in `BOUGH_TOKEN`, else from its file, which is made on the first start. */
export async function ownToken(
  given: string | undefined,
  home: Home,
  named: string | undefined,
): Promise<Token> {
  if (given) return { value: mustBeToken(given, 'BOUGH_TOKEN'), file: null }
  const file = resolve(named ?? usualTokenFile(home))
  return { value: (await readToken(file)) ?? (await makeToken(file)), file }
}

/** What a file has; null where there is none. Throws when others than its owner could read it. */
export async function readToken(file: string): Promise<string | null> {
  // A pipe would keep whoever opens it waiting.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (cause) => {
      if (isCode(cause, 'ENOENT')) return null
      const why = isCode(cause, 'ELOOP') ? 'is a symbolic link' : `cannot be read (${cause.message})`
      throw new BoughError(
        'bad_input',
        `The token file ${file} ${why}. Make it a file that only you can read.`,
        {
          cause,
        },
      )
    },
  )
  if (!handle) return null
  try {
    const found = await handle.stat()
    if (!found.isFile()) throw new BoughError('bad_input', `The token file ${file} is no file. Name another.`)
    const own = process.getuid?.() ?? found.uid
    if ((found.mode & 0o077) !== 0 || (found.uid !== own && own !== 0))
      throw new BoughError(
        'bad_input',
        `Others than you can get at the token in ${file}. Run "chmod 600 ${file}"; if they may have read it, delete it, and a new one is made.`,
      )
    return mustBeToken((await handle.readFile('utf8')).trim(), file)
  } finally {
    await handle.close()
  }
}

function mustBeToken(text: string, where: string): string {
  if (text.length >= shortest && /^[\x21-\x7e]+$/.test(text)) return text
  throw new BoughError(
    'bad_input',
    `${where} has no token that is good enough: it needs ${shortest} characters or more, without spaces.`,
  )
}

// Written aside and linked into place: of two that start at once, one makes the token and both use it.
async function makeToken(file: string): Promise<string> {
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
  const aside = `${file}.${crypto.randomUUID()}`
  try {
    makeOwnDirectory(dirname(file))
    await writeFile(aside, `${token}\n`, { mode: 0o600, flag: 'wx', flush: true })
    // Whatever the umask took away.
    await chmod(aside, 0o600)
    try {
      await link(aside, file)
      return token
    } catch (cause) {
      if (!isCode(cause, 'EEXIST')) throw cause
    }
  } catch (cause) {
    const why = messageOf(cause)
    throw new BoughError(
      'output_unwritable',
      `The token cannot be written to ${file} (${why}). Name another file with --token-file, or set BOUGH_TOKEN.`,
      { cause },
    )
  } finally {
    await rm(aside, { force: true })
  }
  return (await readToken(file)) ?? makeToken(file)
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
