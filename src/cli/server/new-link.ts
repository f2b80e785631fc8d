import { Http } from '../../client/http.ts'
import type { Home } from '../../home.ts'
import { BoughError } from '../../tree/error.ts'
import { serverRoutes } from '../../wire/routes/server.ts'
import { findLocalServer } from './local-server.ts'

/** A link that opens the page of the server of this machine in a browser, once. */
export async function newLink(home: Home, token: string | undefined): Promise<string> {
  const server = await findLocalServer(home, token)
  if (!server)
    throw new BoughError('server_unreachable', 'No server runs here that lets us in. Start one: bough serve')
  const http = new Http(server)
  try {
    const { code } = await http.call(serverRoutes.newCode)
    return `${server.url}/#${code}`
  } finally {
    http.close()
  }
}
