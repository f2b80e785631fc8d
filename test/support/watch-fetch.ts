import { onTestFinished } from 'vitest'
import { type Address, type Description, describedBy, type Expected } from './openapi.ts'

/**
 * From now to the end of the test, every answer of a server to `fetch` is checked against its own description. What is
 * wrong makes the test fail at its end; who has asked is given the answer as it is.
 */
export async function watchFetch(server: Address): Promise<void> {
  const description = await describedBy(server)
  const failures: Error[] = []
  const passOn = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const { url, method } = requestOf(input, init)
    const response = await passOn(input, init)
    return url.origin === new URL(server.url).origin && url.pathname !== '/openapi.json'
      ? watched(response, description, `${method} ${url.pathname}`, failures)
      : response
  }
  onTestFinished(() => {
    globalThis.fetch = passOn
    if (failures.length > 0)
      throw new AggregateError(failures, failures.map(({ message }) => message).join('\n'))
  })
}

function requestOf(input: Parameters<typeof fetch>[0], init: RequestInit | undefined) {
  const given = input instanceof Request ? input : { url: String(input), method: 'GET' }
  return { url: new URL(given.url), method: (init?.method ?? given.method).toUpperCase() }
}

function watched(response: Response, description: Description, asked: string, failures: Error[]): Response {
  const [method = '', path = ''] = asked.split(' ')
  const { status, statusText, headers, body } = response
  const type = headers.get('content-type')
  const note = (check: () => void) => {
    try {
      check()
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      failures.push(new Error(`${asked} → ${status} ${type}: ${why}`, { cause }))
    }
  }
  let expected: Expected | null = null
  note(() => {
    expected = description.expect(method, path, status, type)
  })
  if (!body || !expected) {
    note(() => expected?.end())
    return response
  }
  return new Response(body.pipeThrough(through(expected, note)), { status, statusText, headers })
}

// Not a tee: who leaves in the middle must be seen to leave by the server.
function through(
  expected: Expected,
  note: (check: () => void) => void,
): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  return new TransformStream({
    transform(piece, to) {
      note(() => expected.take(decoder.decode(piece, { stream: true })))
      to.enqueue(piece)
    },
    flush: () => note(() => expected.end()),
  })
}
