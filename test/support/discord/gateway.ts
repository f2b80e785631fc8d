import { randomUUID } from 'node:crypto'
import { type APIUser, ApplicationFlags, GatewayCloseCodes, GatewayOpcodes } from 'discord-api-types/v10'
import type { WebSocket } from 'ws'
import { type GatewayEvent, type Guild, guildCreate, intentFor, privilegedIntents } from './gateway-events.ts'
import { frameOf, type Identify, type Resume, withoutToken } from './gateway-frames.ts'
import { type Frame, GatewaySocket } from './gateway-socket.ts'

export interface GatewayOptions {
  readonly token: string
  readonly bot: APIUser
  readonly guilds: readonly Guild[]
  readonly heartbeatIntervalMs: number
  readonly allowedPrivilegedIntents: number
  readonly compression: boolean
  readonly url: () => string
  readonly now: () => number
}

export interface GatewayLogEntry {
  readonly at: number
  readonly dir: 'in' | 'out' | 'open' | 'close' | 'refused'
  readonly op?: GatewayOpcodes
  readonly t?: string
  readonly info?: unknown
}

const applicationFlags = ApplicationFlags.GatewayMessageContentLimited

/** What lasts when a connection breaks: events go on being numbered, and are told to whoever resumes. */
interface Session {
  readonly id: string
  readonly intents: number
  readonly events: GatewayEvent[]
  socket: GatewaySocket | null
  valid: boolean
}

/** The side of Discord that tells. Any number of clients can be there, or none. */
export class Gateway {
  readonly log: GatewayLogEntry[] = []
  ackHeartbeats = true
  readonly #options: GatewayOptions
  readonly #sessions: Session[] = []
  readonly #sockets = new Map<GatewaySocket, Session | null>()

  constructor(options: GatewayOptions) {
    this.#options = options
  }

  /** How many clients have a session now. */
  get connected(): number {
    return [...this.#sockets.values()].filter((session) => session !== null).length
  }

  accept(ws: WebSocket, url: URL): void {
    const streamed = this.#options.compression && url.searchParams.get('compress') === 'zlib-stream'
    const socket = new GatewaySocket(ws, { streamed })
    this.#sockets.set(socket, null)
    this.#note({ dir: 'open', info: url.search })
    ws.on('message', (data) => this.#receive(socket, data.toString()))
    ws.on('close', (code) => this.#closed(socket, code))
    // A connection that breaks is closed as well, and that is what counts.
    ws.on('error', () => {})
    const d = { heartbeat_interval: this.#options.heartbeatIntervalMs }
    this.#send(socket, { op: GatewayOpcodes.Hello, d, s: null, t: null })
  }

  refuse(): void {
    this.#note({ dir: 'refused' })
  }

  /** Tells every session that can hear it now or may come back and resume. */
  tell(event: GatewayEvent): void {
    const intent = intentFor[event.t]
    for (const session of this.#sessions)
      if (session.valid && (intent === undefined || session.intents & intent)) this.#push(session, event)
  }

  /** Cuts the connections, or closes them with a code. */
  drop(how: 'terminate' | number): void {
    for (const socket of [...this.#sockets.keys()]) {
      if (how === 'terminate') this.#cut(socket)
      else socket.close(how, 'dropped')
    }
  }

  sendReconnect(): void {
    for (const socket of this.#sockets.keys())
      this.#send(socket, { op: GatewayOpcodes.Reconnect, d: null, s: null, t: null })
  }

  sendInvalidSession(resumable: boolean): void {
    for (const [socket, session] of this.#sockets) {
      if (session && !resumable) session.valid = false
      this.#refuseSession(socket, resumable)
    }
  }

  invalidateSessions(): void {
    for (const session of this.#sessions) session.valid = false
  }

  /** From now on nothing reaches the client, also what is told before its socket has noticed. */
  #cut(socket: GatewaySocket): void {
    socket.terminate()
    this.#closed(socket, 1006)
  }

  #closed(socket: GatewaySocket, code: number): void {
    const session = this.#sockets.get(socket)
    if (!this.#sockets.delete(socket)) return
    this.#note({ dir: 'close', info: code })
    if (session?.socket !== socket) return
    session.socket = null
    // A client that says goodbye does not resume.
    if (code === 1000 || code === 1001) session.valid = false
  }

  #receive(socket: GatewaySocket, text: string): void {
    const frame = frameOf(text)
    if (!frame) {
      socket.close(GatewayCloseCodes.DecodeError, 'Error while decoding payload.')
      return
    }
    this.#note({ dir: 'in', op: frame.op, info: withoutToken(frame) })
    switch (frame.op) {
      case GatewayOpcodes.Heartbeat:
        if (this.ackHeartbeats) this.#send(socket, { op: GatewayOpcodes.HeartbeatAck })
        break
      case GatewayOpcodes.Identify:
        this.#identify(socket, frame.d)
        break
      case GatewayOpcodes.Resume:
        this.#resume(socket, frame.d)
        break
      case GatewayOpcodes.PresenceUpdate:
        break
    }
  }

  #identify(socket: GatewaySocket, identify: Identify): void {
    const { bot, guilds, compression } = this.#options
    const { intents, compress = false, shard = [0, 1] } = identify
    if (this.#turnsAway(socket, identify)) return
    socket.compressesFrames = compression && compress
    const session: Session = {
      id: randomUUID().replaceAll('-', ''),
      intents,
      events: [],
      socket,
      valid: true,
    }
    this.#sessions.push(session)
    this.#sockets.set(socket, session)
    this.#push(session, {
      t: 'READY',
      d: {
        v: 10,
        user: bot,
        session_id: session.id,
        resume_gateway_url: this.#options.url(),
        shard,
        guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
        application: { id: bot.id, flags: applicationFlags, flags_new: String(applicationFlags) },
      },
    })
    for (const guild of guilds) this.#push(session, guildCreate(guild, bot))
  }

  #turnsAway(socket: GatewaySocket, { token, intents }: Identify): boolean {
    if (this.#sockets.get(socket))
      socket.close(GatewayCloseCodes.AlreadyAuthenticated, 'Already authenticated.')
    else if (!this.#isToken(token))
      socket.close(GatewayCloseCodes.AuthenticationFailed, 'Authentication failed.')
    else if (intents & privilegedIntents & ~this.#options.allowedPrivilegedIntents)
      socket.close(GatewayCloseCodes.DisallowedIntents, 'Disallowed intent(s).')
    else return false
    return true
  }

  #resume(socket: GatewaySocket, { token, session_id, seq }: Resume): void {
    const session = this.#sessions.find(({ id }) => id === session_id)
    if (!this.#isToken(token)) socket.close(GatewayCloseCodes.AuthenticationFailed, 'Authentication failed.')
    else if (!session?.valid) this.#refuseSession(socket, false)
    else if (seq > session.events.length) socket.close(GatewayCloseCodes.InvalidSeq, 'Invalid seq')
    else this.#goOn(socket, session, seq)
  }

  #goOn(socket: GatewaySocket, session: Session, seq: number): void {
    session.socket = socket
    this.#sockets.set(socket, session)
    for (const [index, event] of session.events.entries())
      if (index >= seq) this.#dispatch(socket, event, index + 1)
    this.#push(session, { t: 'RESUMED', d: {} })
  }

  #isToken(token: string): boolean {
    return token.replace(/^Bot /, '') === this.#options.token
  }

  #refuseSession(socket: GatewaySocket, resumable: boolean): void {
    this.#send(socket, { op: GatewayOpcodes.InvalidSession, d: resumable, s: null, t: null })
  }

  #push(session: Session, event: GatewayEvent): void {
    // Messages change later; what is told again must be what was told.
    session.events.push(structuredClone(event))
    if (session.socket) this.#dispatch(session.socket, event, session.events.length)
  }

  #dispatch(socket: GatewaySocket, { t, d }: GatewayEvent, s: number): void {
    this.#send(socket, { op: GatewayOpcodes.Dispatch, t, s, d })
  }

  #send(socket: GatewaySocket, frame: Frame): void {
    if (!socket.isOpen) return
    this.#note({ dir: 'out', op: frame.op, ...(typeof frame.t === 'string' && { t: frame.t }) })
    socket.send(frame)
  }

  #note(entry: Omit<GatewayLogEntry, 'at'>): void {
    this.log.push({ at: this.#options.now(), ...entry })
  }
}
