import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'

/** An event of a model API's stream. */
export interface StreamEvent {
  readonly type: string
  readonly [field: string]: unknown
}

export interface FakeModel {
  readonly url: string
  /** Whether somebody asked for this path, which no model API has. */
  wasAskedFor(path: string): boolean
  close(): Promise<void>
}

/** A model API on loopback, which answers every prompt with these events. It is the way out, too, and leads nowhere. */
export async function startFakeModel(answer: (body: unknown) => readonly StreamEvent[]): Promise<FakeModel> {
  const paths = new Set<string>()
  const server = createServer(async (request, response) => {
    paths.add(request.url ?? '')
    if (request.method !== 'POST') return void response.writeHead(404).end('{}')
    const body = await json(request).catch(() => null)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(answer(body).map(written).join(''))
  })
  server.on('connect', (_: IncomingMessage, socket) => socket.destroy())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    wasAskedFor: (path) => paths.has(path),
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

const written = (event: StreamEvent): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
