import { resolve } from 'node:path'
import type { Home } from '../../home.ts'
import { findServer } from '../../server/announcement.ts'
import { readToken, usualTokenFile } from '../../server/token.ts'
import { BoughError } from '../../tree/error.ts'
import { UsageError } from '../usage-error.ts'
import { isHere } from './server-url.ts'

/** What a token may come from. */
export interface TokenSources {
  /** BOUGH_TOKEN. */
  readonly given: string | undefined
  /** --token-file. */
  readonly file: string | undefined
  readonly home: Home
}

/** The token for a server that the person names. */
export async function tokenFor(url: string, { given, file, home }: TokenSources): Promise<string> {
  if (given) return mustFitHeader(given)
  if (file !== undefined) return (await readToken(resolve(file))) ?? missingFile(file)
  for (const known of await filesFor(url, home)) {
    const token = await readToken(known)
    if (token !== null) return token
  }
  throw new BoughError(
    'unauthorized',
    `The token of ${url} is not known here. Set BOUGH_TOKEN to it, or name its file with --token-file FILE.`,
  )
}

/** The token of a server that says of itself where that is; null where it cannot be told. */
export async function tokenOfFound(
  { tokenFile }: { readonly tokenFile: string | null },
  given: string | undefined,
): Promise<string | null> {
  if (tokenFile !== null) return readToken(tokenFile).catch(() => null)
  return given && fitsHeader.test(given) ? given : null
}

// Whoever has a token can run commands where it is good: that of this machine is not told to another one.
async function filesFor(url: string, home: Home): Promise<readonly string[]> {
  const found = await findServer(home, url)
  if (found) return found.tokenFile === null ? [] : [found.tokenFile]
  return isHere(url) ? [usualTokenFile(home)] : []
}

const fitsHeader = /^[\x21-\x7e]+$/

function mustFitHeader(token: string): string {
  if (fitsHeader.test(token)) return token
  throw new UsageError('BOUGH_TOKEN has spaces or other signs in it that no token has. Set it anew.')
}

function missingFile(file: string): never {
  throw new UsageError(`There is no token file ${file}. The server says where its token is when it starts.`)
}
