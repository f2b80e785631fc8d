import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, BlockList, isIP } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { Bough } from '../bough.ts'
import type { Home } from '../home.ts'
import { thisProcess } from '../process-identity.ts'
import { BoughError, messageOf } from '../tree/error.ts'
import { announce, findServer } from './announcement.ts'
import { createApp } from './app.ts'
import { Calls } from './calls.ts'
import { EventHub } from './event-hub.ts'
import { Gate } from './gate.ts'
import { GivenUp } from './given-up.ts'
import { hidingPaths } from './hidden-paths.ts'
import { KnownDirectories } from './known-directories.ts'
import { unexpected } from './problem.ts'
import { securityHeaders } from './security-headers.ts'
import { SignIn } from './sign-in.ts'
import type { Token } from './token.ts'
import { TurnLimit } from './turn-limit.ts'
import { answerUnreadable, badAddress } from './unreadable.ts'

export interface ServeOptions {
  readonly home: Home
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  readonly token: Token
  /** The person has said that others than this machine may reach it. */
  readonly isPublic: boolean
  /** Further names by which it may be called. */
  readonly names: readonly string[]
  /** Directories that sessions may begin in, beside those that they work in already. */
  readonly workspaces: readonly string[]
  /** How many turns run at once. */
  readonly turns: number
  /** Milliseconds that running turns have when it stops. */
  readonly grace: number
  readonly version: string
  /** How long requests may take to arrive; absent: a minute, and ten seconds for their heads. */
  readonly patience?: Partial<typeof slowest>
  /** Milliseconds after which somebody who waits for an answer is shown a sign of life; absent: ten seconds. */
  readonly silence?: number
  /** Told of what is a fault of the server's. */
  onFault(error: unknown): void
}

export interface RunningServer {
  readonly url: string
  /** Opens a page in a browser, once. */
  newLink(): string
  /** No new turns; those that run have a while to end; then everything is closed, also what it stands on. */
  stop(): Promise<void>
}

/** Milliseconds that a request may take to arrive, and its head. */
const slowest = { requestTimeout: 60_000, headersTimeout: 10_000, connectionsCheckingInterval: 1_000 }
/** Milliseconds that a connection is kept for the next request: long, so that hardly one comes in the moment when it is closed. */
const keepAliveTimeout = 60_000
/** So that a reader which is gone without a word, a laptop that sleeps, is noticed. */
const stayingInTouch = { keepAlive: true, keepAliveInitialDelay: 15_000 }
/** Milliseconds: less than what proxies commonly wait. */
const longestSilence = 10_000
/** Milliseconds. */
const untilItKeepsTime = 100
/** Milliseconds for the last words to reach those who read. */
const lastWords = 500

/** Serves a bough over HTTP, and keeps time. */
export async function serve(bough: Bough, options: ServeOptions): Promise<RunningServer> {
  mustBeLoopback(options)
  const { home, token } = options
  let isStopping = false
  const hub = new EventHub(bough)
  const signIn = new SignIn(token.value)
  const calls = new Calls()
  const directories = await KnownDirectories.open(bough, options.workspaces)
  const app = createApp({
    bough,
    hub,
    signIn,
    gate: new Gate({ token: token.value, host: options.host, names: options.names }),
    directories,
    calls,
    limit: new TurnLimit(options.turns),
    givenUp: new GivenUp(),
    version: options.version,
    silence: options.silence ?? longestSilence,
    isStopping: () => isStopping,
    hide: hidingPaths(home, directories),
    onFault: options.onFault,
  })
  const answer = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    // So that one without a Host gets as far as the gate.
    hostname: 'nameless.invalid',
    errorHandler: failed(options),
  })
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    for (const [name, value] of Object.entries(securityHeaders)) outgoing.setHeader(name, value)
    void answer(incoming, outgoing)
  }
  const server = createServer(
    { ...slowest, ...options.patience, ...stayingInTouch, keepAliveTimeout, requireHostHeader: false },
    listener,
  )
  server.on('checkExpectation', listener)
  answerUnreadable(server)
  await listen(server, options)
  const url = urlOf(server, options)
  try {
    const unannounce = await announce(home, { url, tokenFile: token.file, process: thisProcess() })
    // First it answers: what keeping time loads would keep the first caller waiting.
    const keepTime = () => void bough.keepTime().catch(options.onFault)
    const timekeeping = setTimeout(keepTime, untilItKeepsTime)
    const stop = async () => {
      isStopping = true
      clearTimeout(timekeeping)
      await unannounce().catch(options.onFault)
      // After that nobody waits for a reader to answer.
      const patience = setTimeout(() => calls.close(), options.grace)
      await bough.close({ grace: options.grace }).finally(() => clearTimeout(patience))
    }
    return {
      url,
      newLink: () => `${url}/#${signIn.newCode()}`,
      stop: () => stop().finally(() => hangUp(server, hub)),
    }
  } catch (error) {
    await hangUp(server, hub)
    throw error
  }
}

async function hangUp(server: Server, hub: EventHub): Promise<void> {
  hub.close()
  server.close()
  server.closeIdleConnections()
  await Promise.race([once(server, 'close'), pause(lastWords, undefined, { ref: false })])
  server.closeAllConnections()
}

// Before the app has seen it, or after it has failed to answer.
const failed =
  ({ onFault }: ServeOptions) =>
  (error: unknown): Response => {
    const isFault = !(error instanceof RequestError)
    if (isFault) onFault(error)
    const problem = isFault ? unexpected() : badAddress()
    return Response.json(problem, {
      status: problem.status,
      headers: { 'content-type': 'application/problem+json', connection: 'close' },
    })
  }

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

const isLoopback = (host: string): boolean =>
  host === 'localhost' || (isIP(host) !== 0 && loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4'))

function mustBeLoopback({ host, isPublic }: ServeOptions): void {
  if (isPublic || isLoopback(host)) return
  throw new BoughError(
    'bad_input',
    `On ${host} other machines can reach the server, and with its token run commands here. If you want that, add --public.`,
  )
}

async function listen(server: Server, { home, host, port }: ServeOptions): Promise<void> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : null
    if (code === 'EADDRINUSE') {
      const other = await findServer(home)
      const message = other
        ? `Port ${port} is taken, and a server for this data runs already, at ${other.url}. Use that one, or name another port with --port.`
        : `Port ${port} is taken. Name another with --port, or 0 for any.`
      throw new BoughError('server_failed', message, { cause })
    }
    if (code === 'EACCES' && port < 1024)
      throw new BoughError(
        'bad_input',
        `Port ${port} is not for everybody: those below 1024 need root. Name another with --port.`,
        { cause },
      )
    const why = messageOf(cause)
    throw new BoughError('bad_input', `The server cannot listen on ${host}, port ${port} (${why}).`, {
      cause,
    })
  }
}

function urlOf(server: Server, { host }: ServeOptions): string {
  const { port } = addressOf(server)
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

function addressOf(server: Server): AddressInfo {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no address.')
  return address
}
