import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import { Hono } from 'hono/quick'
import { BoughError } from '../tree/error.ts'
import { hasBody, hasEvents, hasResult, type Route, statusOf } from '../wire/route.ts'
import type { RouteName } from '../wire/routes.ts'
import { EventStream } from './event-stream.ts'
import type { Gate } from './gate.ts'
import { answered, type Call, type Handlers, type Served, type ServerParts } from './handler.ts'
import { channelHandlers } from './handlers/channels.ts'
import { forkHandlers } from './handlers/forks.ts'
import { scheduleHandlers } from './handlers/schedules.ts'
import { serverHandlers } from './handlers/server.ts'
import { sessionHandlers } from './handlers/sessions.ts'
import { turnHandlers } from './handlers/turns.ts'
import { servePage } from './page.ts'
import { type Problem, problemOf } from './problem.ts'
import { readBody } from './request-body.ts'

export interface AppParts extends ServerParts {
  readonly gate: Gate
  /** Milliseconds after which somebody who waits for an answer is shown a sign of life. */
  readonly silence: number
  /** Told of what is a fault of the server's. */
  onFault(error: unknown): void
}

type Env = { Bindings: HttpBindings }

/** All routes, behind the gate. */
export function createApp(parts: AppParts): Hono<Env> {
  const app = new Hono<Env>()
  app.use(async (c, next) => {
    const { headers, rawHeaders, url, socket } = c.env.incoming
    parts.gate.checkOrigin({ headers, rawHeaders, url, port: socket.localPort })
    await next()
  })
  servePage(app)
  app.get('/openapi.json', async (c) => {
    parts.gate.checkToken(c.env.incoming.headers)
    const { openapi } = await import('./openapi.ts')
    return c.json(openapi(parts.version))
  })
  const paths = new Map<string, Set<string>>()
  for (const served of Object.values<Served>(handlersOf(parts))) {
    const { method, path, needsNoToken } = served.route
    const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1')
    paths.set(pattern, (paths.get(pattern) ?? new Set()).add(method))
    app.on(method, pattern, async (c) => {
      if (!needsNoToken) parts.gate.checkToken(c.env.incoming.headers)
      return perform(parts, served, c)
    })
  }
  for (const [path, methods] of paths)
    app.all(path, (c) => {
      parts.gate.checkToken(c.env.incoming.headers)
      c.header('allow', [...methods].join(', '))
      throw new BoughError('method_not_allowed', `This path takes ${[...methods].join(' and ')}.`)
    })
  app.notFound((c) => {
    parts.gate.checkToken(c.env.incoming.headers)
    throw new BoughError('not_found', 'There is nothing at this path. /openapi.json lists what there is.')
  })
  app.onError(async (error, c) => {
    const problem = await problemOf(error, parts.hide)
    if (problem.status === 500) parts.onFault(error)
    return answerProblem(c, problem)
  })
  return app
}

const handlersOf = (parts: ServerParts): Handlers<RouteName> => ({
  ...serverHandlers(parts),
  ...sessionHandlers(parts),
  ...turnHandlers(parts),
  ...forkHandlers(parts),
  ...channelHandlers(parts),
  ...scheduleHandlers(parts),
})

async function perform(parts: AppParts, { route, answer }: Served, c: Context<Env>): Promise<Response> {
  const { incoming, outgoing } = c.env
  if (parts.isStopping() && !isFineWhileStopping(route))
    throw new BoughError('stopping', 'The server is stopping. Try again when it has started anew.')
  const asked = {
    params: c.req.param(),
    query: queryOf(c),
    body: hasBody(route) ? await readBody(incoming, route) : undefined,
  }
  const { call, opened } = callOf(parts, c, route)
  // Who waits for long, and can read events, is shown that somebody is there, and gets the result as one. What is poured shows
  // that by itself, at the pace of its reader.
  const isPatient = !route.type && accepts(incoming, 'text/event-stream')
  const waiting = isPatient ? setTimeout(() => call.stream(), parts.silence) : undefined
  try {
    const result = await answer(asked, call)
    if (result === answered) return RESPONSE_ALREADY_SENT
    const stream = opened()
    if (stream) {
      stream.finish(result)
      return RESPONSE_ALREADY_SENT
    }
    const status = statusOf(route)
    return status === 204 ? c.body(null, 204) : c.body(JSON.stringify(result), status, json)
  } catch (error) {
    // Nobody is there to be told.
    if (call.gone.aborted) return RESPONSE_ALREADY_SENT
    // Too late for a status: a reader is told in the stream.
    const stream = opened()
    if (!stream) {
      if (!outgoing.headersSent) throw error
      outgoing.destroy()
    } else {
      const problem = await problemOf(error, parts.hide)
      if (problem.status === 500) parts.onFault(error)
      stream.fail(problem)
    }
    return RESPONSE_ALREADY_SENT
  } finally {
    clearTimeout(waiting)
  }
}

// What helps running turns to their end.
const isFineWhileStopping = ({ method, path }: Route): boolean =>
  method === 'GET' || /\/(abort|reply|give-up)$|^\/call\//.test(path)

function callOf(
  { onFault }: AppParts,
  c: Context<Env>,
  route: Route,
): { call: Call; opened(): EventStream | null } {
  const { incoming, outgoing } = c.env
  const gone = new AbortController()
  outgoing.on('close', () => outgoing.writableFinished || gone.abort())
  let stream: EventStream | null = null
  const call: Call = {
    gone: gone.signal,
    // Where there is nothing else to get, whoever asks wants them.
    wantsEvents: hasEvents(route) && (!hasResult(route) || accepts(incoming, 'text/event-stream')),
    lastEventID: lastEventID(incoming),
    stream: () => {
      if (stream) return stream
      stream = EventStream.open(outgoing)
      // Of an answer to HEAD there is no more than that; an open one would hold up whatever comes next on its connection.
      if (incoming.method === 'HEAD') stream.end()
      return stream
    },
    async pour(pieces, type) {
      outgoing.writeHead(200, { 'content-type': type })
      await pipeline(telling(onFault, pieces), outgoing)
    },
    nextPage(query) {
      const url = new URL(c.req.url)
      for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
      c.header('link', `<${url.pathname}${url.search}>; rel="next"`)
    },
  }
  return { call, opened: () => stream }
}

// In the middle of an answer nobody can be told but whoever runs the server: the reader is cut off.
async function* telling(onFault: AppParts['onFault'], pieces: AsyncIterable<string>): AsyncIterable<string> {
  try {
    yield* pieces
  } catch (error) {
    onFault(error)
    throw error
  }
}

const json = { 'content-type': 'application/json' }

const accepts = ({ headers }: IncomingMessage, type: string): boolean =>
  (headers.accept ?? '').split(',').some((each) => each.split(';')[0]?.trim().toLowerCase() === type)

function lastEventID({ headers }: IncomingMessage): number | undefined {
  const given = headers['last-event-id']
  if (given === undefined || given === '') return undefined
  if (typeof given === 'string' && /^[0-9]{1,16}$/.test(given)) return Number(given)
  throw new BoughError('bad_input', 'Last-Event-ID must be the id of an event: a number.')
}

// Each name once: what comes twice could mean one thing here and another elsewhere.
function queryOf(c: Context<Env>): Record<string, string> {
  const query = new Map<string, string>()
  for (const [name, values] of Object.entries(c.req.queries())) {
    const [value, another] = values
    if (another !== undefined) throw new BoughError('bad_input', 'A name stands twice in the query.')
    query.set(name, value ?? '')
  }
  return Object.fromEntries(query)
}

function answerProblem(c: Context<Env>, problem: Problem): Response {
  if (problem.status === 401) c.header('www-authenticate', 'Bearer')
  if (problem.status === 429 || problem.status === 503) c.header('retry-after', '1')
  // What is left of a body that was not read would be taken for the next request.
  if (!c.env.incoming.complete) c.header('connection', 'close')
  return c.body(JSON.stringify(problem), problem.status, { 'content-type': 'application/problem+json' })
}
