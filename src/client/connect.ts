import type { Bough } from '../bough.ts'
import { routes } from '../wire/routes.ts'
import { channelMethods } from './channel-methods.ts'
import type { ConnectOptions } from './connect-options.ts'
import { Http } from './http.ts'
import { sessionMethods } from './session-methods.ts'
import { turnMethods } from './turn-methods.ts'

export type { Bough, ConnectOptions }

/**
 * A Bough that is served elsewhere, with the same interface as the embedded one:
 *
 *     const bough = await connect({ url: 'http://127.0.0.1:4517', token })
 *     const { id } = await bough.create({ title: 'Soup' })
 */
export async function connect(options: ConnectOptions): Promise<Bough> {
  const http = new Http(options)
  await http.call(routes.health)
  return {
    ...sessionMethods(http),
    ...turnMethods(http),
    ...channelMethods(http),
    // The server goes on: only what is followed from here ends.
    close: async () => http.close(),
  }
}
