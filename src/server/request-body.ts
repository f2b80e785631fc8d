import type { IncomingMessage } from 'node:http'
import { BoughError } from '../tree/error.ts'
import type { Route } from '../wire/route.ts'

/** In bytes. */
const usualLimit = 1_000_000

/** What a request brings, parsed unless its handler does that itself; undefined where it brings nothing. */
export async function readBody(request: IncomingMessage, route: Route): Promise<unknown> {
  const text = await readText(request, route.largestBody ?? usualLimit)
  if (text === '') return route.bodyIsOptional ? {} : undefined
  // Pages of other sites can send forms and plain text without asking first, but not this.
  if (!/^application\/json *(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new BoughError(
      'unsupported_media',
      'The body must be JSON: send it with "Content-Type: application/json".',
    )
  if (route.bodyIsText) return text
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new BoughError('bad_input', 'The body is not valid JSON.', { cause })
  }
}

async function readText(request: IncomingMessage, limit: number): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
  const pieces: Buffer[] = []
  let bytes = 0
  try {
    for await (const piece of request) {
      bytes += piece.length
      if (bytes > limit) throw tooLarge(limit)
      pieces.push(piece)
    }
  } catch (cause) {
    if (cause instanceof BoughError) throw cause
    throw new BoughError('too_slow', 'The request did not arrive whole, or took too long.', { cause })
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces))
  } catch (cause) {
    throw new BoughError('bad_input', 'The body is not valid UTF-8.', { cause })
  }
}

const tooLarge = (limit: number): BoughError =>
  new BoughError(
    'too_large',
    `The body is larger than ${limit.toLocaleString('en')} bytes, the most that is taken here.`,
  )
