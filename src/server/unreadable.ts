import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ErrorCode } from '../tree/error.ts'
import { type Problem, plainProblem } from './problem.ts'
import { securityHeaders } from './security-headers.ts'

/**
 * What comes in and is no request: too slow, too long a head, or nonsense. Node would answer it by itself, with neither our
 * headers nor a problem.
 */
export function answerUnreadable(server: Server): void {
  const answers = new WeakMap<Duplex, ServerResponse>()
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) =>
    answers.set(socket, response),
  )
  server.on('clientError', (error: Error, socket: Duplex) => {
    const answer = answers.get(socket)
    const isInTheMiddle = answer?.headersSent && !answer.writableEnded
    if (!socket.writable || isInTheMiddle) socket.destroy()
    else socket.end(asText(whatIsWrong(error)), () => socket.destroy())
  })
}

/** A request that is one, with an address that is none. */
export const badAddress = (): Problem =>
  plainProblem('bad_input', 'The address of the request, or its Host header, makes no sense.')

function whatIsWrong(error: Error): Problem {
  const code = 'code' in error ? error.code : null
  const [name, detail]: [ErrorCode, string] =
    code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? ['too_slow', 'The request did not arrive whole in time.']
      : code === 'HPE_HEADER_OVERFLOW' || code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW'
        ? ['too_large', 'The head of the request is too long.']
        : ['bad_input', 'This is no request that HTTP knows.']
  return plainProblem(name, detail)
}

function asText(problem: Problem): string {
  const body = JSON.stringify(problem)
  const headers = {
    ...securityHeaders,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`, ...lines, '', body].join('\r\n')
}
