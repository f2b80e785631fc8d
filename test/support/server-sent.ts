import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import zlib from 'node:zlib'
import { portOf } from './port-of.ts'

// What the fakes of model APIs share: they listen on loopback, note what they are asked, and stream what a test wants said.

/** The part of a scripted reply that is the same for every API. */
export interface Scripted {
  /** Waits so long after every piece of what is said. */
  readonly delayMs?: number
  /** How many characters of text go into a piece. */
  readonly chunk?: number
  readonly status?: number
  readonly error?: Refusal
  /** Accepts the request and never answers. */
  readonly hang?: true
  /** Sent as it is instead of a proper stream of events, which then ends. */
  readonly garbage?: string
}

export interface Refusal {
  readonly type?: string
  readonly message: string
}

export interface Arrived {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly raw: string
}

export interface Recorded<Body, Part, Usage> {
  readonly body: Body
  /** The body as it was sent, to compare what one request shares with another byte for byte. */
  readonly raw: string
  readonly headers: IncomingHttpHeaders
  /** The connection ended before the answer was whole. */
  readonly aborted: boolean
  /** What the model said; null when it said nothing proper, or nothing yet. */
  readonly reply: readonly Part[] | null
  readonly usage: Usage | null
}

type Writable<T> = { -readonly [Field in keyof T]: T[Field] }

export interface Asked {
  readonly stream?: boolean | undefined
}

export interface Said<Part, Usage> {
  readonly parts: readonly Part[]
  readonly usage: Usage
}

export interface ServerEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** How one API speaks. */
export interface Dialect<Body, Reply extends Scripted, Part, Usage> {
  asksModel(request: Arrived): boolean
  /** Answers what clients ask besides the model. */
  aside(request: Arrived): { readonly status: number; readonly body: unknown }
  parse(raw: string): Body
  refusal(why: Refusal): unknown
  said(reply: Reply, raw: string): Said<Part, Usage>
  /** The answer for a client that does not want a stream. */
  whole(body: Body, said: Said<Part, Usage>): unknown
  events(body: Body, said: Said<Part, Usage>, chunk: number): Iterable<ServerEvent>
  /** Whether this event carries a piece of what is said. */
  isPiece(event: ServerEvent): boolean
}

export interface FakeModel<Body, Part, Usage> {
  readonly url: string
  readonly requests: readonly Recorded<Body, Part, Usage>[]
  /** What was asked besides the model. */
  readonly others: readonly Arrived[]
  /** Who else somebody wanted to talk to: the agents are told that the fake is the way out. */
  readonly outside: readonly string[]
  close(): Promise<void>
}

export async function startFakeModel<Body extends Asked, Reply extends Scripted, Part, Usage>(
  dialect: Dialect<Body, Reply, Part, Usage>,
  respond: (body: Body) => Reply | Promise<Reply>,
): Promise<FakeModel<Body, Part, Usage>> {
  const requests: Recorded<Body, Part, Usage>[] = []
  const others: Arrived[] = []

  async function answer(request: Arrived, response: ServerResponse, gone: AbortSignal): Promise<void> {
    if (!dialect.asksModel(request)) {
      others.push(request)
      const { status, body } = dialect.aside(request)
      return sendJSON(response, status, body)
    }
    const note = noteOf<Body, Part, Usage>(dialect.parse(request.raw), request, gone)
    requests.push(note)
    const reply = await respond(note.body)
    if (reply.hang) return
    if (goesWrong(reply)) return sendWrong(response, reply, dialect)
    const said = dialect.said(reply, note.raw)
    note.reply = said.parts
    note.usage = said.usage
    if (!note.body.stream) return sendJSON(response, 200, dialect.whole(note.body, said))
    beginStream(response)
    for (const event of dialect.events(note.body, said, reply.chunk ?? 8)) {
      if (gone.aborted) return
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      if (reply.delayMs && dialect.isPiece(event)) await pauseUnless(gone, reply.delayMs)
    }
    response.end()
  }

  const { url, outside, close } = await listen(async (request, response) => {
    const gone = whenGone(response)
    try {
      await answer(await read(request), response, gone)
    } catch (error) {
      if (response.headersSent) response.destroy()
      else sendJSON(response, 500, dialect.refusal({ message: String(error) }))
    }
  })
  return { url, requests, others, outside, close }
}

/** Text in pieces; a character that takes two code units stays whole, as clients refuse half of one. */
export function pieces(text: string, size: number): readonly string[] {
  const characters = [...text]
  const count = Math.ceil(characters.length / size)
  return Array.from({ length: count }, (_, i) => characters.slice(i * size, (i + 1) * size).join(''))
}

export const newID = (prefix: string): string => `${prefix}_${randomUUID().replaceAll('-', '').slice(0, 24)}`

/** As many tokens as a text of this length may well have. */
export const tokensIn = (text: string): number => Math.ceil(text.length / 4)

interface Listening {
  readonly url: string
  readonly outside: readonly string[]
  close(): Promise<void>
}

/** The environment of an agent whose every way out leads to the fake. */
export const noWayOut = (url: string): NodeJS.ProcessEnv => ({
  HTTP_PROXY: new URL(url).origin,
  HTTPS_PROXY: new URL(url).origin,
  ALL_PROXY: new URL(url).origin,
  NO_PROXY: '127.0.0.1,localhost',
})

async function listen(handle: RequestListener): Promise<Listening> {
  const open = new Set<ServerResponse>()
  const outside: string[] = []
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/')) {
      outside.push(request.url ?? '')
      response.destroy()
      return
    }
    open.add(response)
    response.on('close', () => open.delete(response))
    handle(request, response)
  })
  server.on('connect', (request, socket) => {
    outside.push(request.url ?? '')
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    // The server itself is closed a moment before those who had no answer yet are noted as gone.
    const cutOff = [...open].map((response) => once(response, 'close'))
    // The second time there is nothing left to close, which is as good.
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeAllConnections()
    await Promise.all([closed, ...cutOff])
  }
  return { url: `http://127.0.0.1:${portOf(server)}`, outside, close }
}

function noteOf<Body, Part, Usage>(
  body: Body,
  { raw, headers }: Arrived,
  gone: AbortSignal,
): Writable<Recorded<Body, Part, Usage>> {
  return {
    body,
    raw,
    headers,
    get aborted() {
      return gone.aborted
    },
    reply: null,
    usage: null,
  }
}

const goesWrong = ({ garbage, error, status = 200 }: Scripted): boolean =>
  garbage !== undefined || error !== undefined || status >= 400

function sendWrong(
  response: ServerResponse,
  { garbage, error, status }: Scripted,
  { refusal }: { refusal(why: Refusal): unknown },
): void {
  if (garbage === undefined) {
    const why = error ?? { message: `the fake was told to answer ${status}` }
    sendJSON(response, status ?? 400, refusal(why))
  } else {
    beginStream(response, status)
    response.end(garbage)
  }
}

async function read(request: IncomingMessage): Promise<Arrived> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { method = 'GET', url = '/', headers } = request
  const raw = unpacked(Buffer.concat(chunks), headers['content-encoding']).toString()
  return { method, path: new URL(url, 'http://127.0.0.1').pathname, headers, raw }
}

function unpacked(body: Buffer, encoding: string | undefined): Buffer {
  switch (encoding) {
    case 'gzip':
      return zlib.gunzipSync(body)
    case 'br':
      return zlib.brotliDecompressSync(body)
    case 'zstd':
      return zlib.zstdDecompressSync(body)
    default:
      return body
  }
}

function whenGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.on('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  return gone.signal
}

function sendJSON(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

function beginStream(response: ServerResponse, status = 200): void {
  response.writeHead(status, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
}

async function pauseUnless(gone: AbortSignal, ms: number): Promise<void> {
  await pause(ms, undefined, { signal: gone }).catch((error: unknown) => {
    if (!gone.aborted) throw error
  })
}
