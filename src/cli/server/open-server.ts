import type { Bough } from '../../bough.ts'
import { connect } from '../../client/connect.ts'
import { BoughError, hasCode } from '../../tree/error.ts'
import { type TokenSources, tokenFor } from './server-token.ts'

/** The bough of a server that the person names. */
export async function openServer(url: string, sources: TokenSources): Promise<Bough> {
  const token = await tokenFor(url, sources)
  try {
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
