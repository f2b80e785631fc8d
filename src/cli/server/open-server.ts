import type { Bough } from '../../bough.ts'
import { connect } from '../../client/connect.ts'
import { BoughError, hasCode } from '../../tree/error.ts'
import { type TokenSources, tokenFor } from './server-token.ts'
import { isHere } from './server-url.ts'

/** The bough of a server that the person names. */
export async function openServer(url: string, sources: TokenSources): Promise<Bough> {
  try {
    const token = await tokenFor(url, sources).catch((error) => withoutToken(url, error))
    return await connect({ url, token })
  } catch (error) {
    if (!hasCode(error, 'server_unreachable') || !url.startsWith('https:')) throw error
    throw new BoughError(
      'server_unreachable',
      `No server answers at ${url}. "bough serve" speaks http: write ${url.replace('https:', 'http:')}, unless a proxy stands before it.`,
      { cause: error },
    )
  }
}

// Where nobody answers, no token would help. Only here: of another machine it would take long to tell.
async function withoutToken(url: string, error: unknown): Promise<never> {
  if (hasCode(error, 'unauthorized') && isHere(url)) {
    const bough = await connect({ url, token: 'none' })
    await bough.close()
  }
  throw error
}
