import { type Agent, request as httpRequest, type OutgoingHttpHeaders } from 'node:http'
import { connect, type Socket } from 'node:net'

// Requests that fetch would not send, or would make polite first.

export interface RawRequest {
  readonly method?: string
  /** As it stands in the first line. */
  readonly path: string
  /** A name with several values is sent several times; undefined leaves out what would be sent otherwise. */
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Buffer
}

export interface RawAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
}

/** One request; its answer when that is whole. */
export function ask(
  { url }: { readonly url: string },
  { method = 'GET', path, headers = {}, body }: RawRequest,
  agent?: Agent,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
  // Node leaves it out where a body is unusual; then it would be taken for the next request.
  if (body !== undefined && given['transfer-encoding'] === undefined)
    given['content-length'] ??= Buffer.byteLength(body)
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      {
        ...{ hostname, port, method, path, headers: given, agent: agent ?? false },
        setHost: !('host' in headers || 'Host' in headers),
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        )
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** A connection on which one writes bytes. */
export interface RawConnection {
  readonly socket: Socket
  write(bytes: string | Buffer): void
  /** The answer, when the other side has closed the connection; null where it said nothing. */
  readonly closed: Promise<RawAnswer | null>
}

export function open({ url }: { readonly url: string }): RawConnection {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''))
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  // One that is reset has still said what it has said.
  socket.on('error', () => {})
  const closed = new Promise<RawAnswer | null>((resolve) => {
    socket.on('close', () => resolve(parse(Buffer.concat(chunks).toString('utf8'))))
  })
  return { socket, write: (bytes) => void socket.write(bytes), closed }
}

/** Writes bytes, and waits until the other side has closed the connection. */
export function speak(server: { readonly url: string }, bytes: string | Buffer): Promise<RawAnswer | null> {
  const connection = open(server)
  connection.write(bytes)
  return connection.closed
}

function parse(text: string): RawAnswer | null {
  const [, status, head, body] = /^HTTP\/1\.1 (\d{3})[^\r\n]*\r\n(.*?)\r\n\r\n(.*)$/s.exec(text) ?? []
  if (status === undefined || head === undefined || body === undefined) return null
  const headers: Record<string, string> = {}
  for (const line of head.split('\r\n')) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const isChunked = headers['transfer-encoding'] === 'chunked'
  return { status: Number(status), headers, body: isChunked ? unchunked(body) : body }
}

function unchunked(body: string): string {
  let text = ''
  for (const [, piece] of body.matchAll(/[0-9a-f]+\r\n(.*?)\r\n(?=[0-9a-f]+\r\n|$)/gs)) text += piece
  return text
}

/**
 * One request of somebody who does not wait: of a stream it takes what comes first, and what is not answered in so many
 * milliseconds it gives up. Null when it gave up, or was hung up on.
 */
export function glance(
  { url }: { readonly url: string },
  { method = 'GET', path, headers = {}, body }: RawRequest,
  agent: Agent,
  patience: number,
): Promise<RawAnswer | null> {
  const { hostname, port } = new URL(url)
  const isChunked = headers['transfer-encoding'] !== undefined
  const length = body === undefined || isChunked ? {} : { 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve) => {
    const options = { hostname, port, method, path, headers: { ...headers, ...length }, agent }
    const sent = httpRequest({ ...options, setHost: headers.host === undefined }, (response) => {
      const isStream = response.headers['content-type']?.startsWith('text/event-stream')
      const chunks: Buffer[] = []
      const finish = () => {
        clearTimeout(timer)
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text })
        if (!response.complete) sent.destroy()
      }
      if (isStream) {
        clearTimeout(timer)
        timer = setTimeout(finish, firstWords)
      }
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (isStream) finish()
      })
      response.on('end', finish)
      response.on('error', finish)
    })
    let timer = setTimeout(() => sent.destroy(), patience)
    sent.on('close', () => {
      clearTimeout(timer)
      resolve(null)
    })
    sent.on('error', () => {})
    sent.end(body)
  })
}

/** Milliseconds that a stream has to say something. */
const firstWords = 50
