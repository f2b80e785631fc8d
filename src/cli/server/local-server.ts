import type { ConnectOptions } from '../../client/connect.ts'
import type { Home } from '../../home.ts'
import { findServer } from '../../server/announcement.ts'
import { tokenOfFound } from './server-token.ts'

/** Milliseconds that a server has to answer: nobody asked for it, so nobody waits for one that stands still. */
const patience = 2_000

/** The server that runs on this machine for the same data, if it answers and lets us in. */
export async function findLocalServer(home: Home, given: string | undefined): Promise<ConnectOptions | null> {
  const found = await findServer(home)
  const token = found && (await tokenOfFound(found, given))
  if (!found || !token) return null
  return (await letsIn(found.url, token)) ? { url: found.url, token } : null
}

async function letsIn(url: string, token: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/pending`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(patience),
    })
    await response.body?.cancel()
    return response.ok
  } catch {
    return false
  }
}
