import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { APIUser } from 'discord-api-types/v10'
import { WebSocketServer } from 'ws'
import { portOf } from '../port-of.ts'
import { until } from '../until.ts'
import type { Command, OptionValue } from './commands.ts'
import type { Dm, Version } from './conversations.ts'
import type { Fault } from './faults.ts'
import type { SentFile } from './files.ts'
import type { GatewayLogEntry } from './gateway.ts'
import type { Guild } from './gateway-events.ts'
import type { Callback, InteractionRecord } from './interactions.ts'
import type { Message } from './message.ts'
import {
  clickAs,
  deleteAs,
  forgeAs,
  type Mutate,
  newUser,
  runAs,
  type SendOptions,
  sendAs,
  sendInGuildAs,
} from './people.ts'
import { defaultLimits, type Limits, RateLimits } from './rate-limits.ts'
import type { ReactionChange } from './reactions.ts'
import { type RequestLog, RestApi } from './rest-api.ts'
import { newService, type Service, type ServiceOptions } from './service.ts'

export interface FakeOptions extends ServiceOptions {
  /** A free one unless given. */
  readonly port?: number
  /** By route, or false for none. `scaledLimits` makes them faster. */
  readonly rateLimits?: Limits | false
}

/**
 * Discord on loopback, for a bot in direct messages: REST and gateway, with the limits, windows and refusals that the
 * real one has. It knows nothing of its clients: one may be killed and another come, and it goes on.
 */
export class FakeDiscord {
  /** Whether a client that wants to connect to the gateway is let in. */
  acceptConnections = true
  readonly #service: Service
  readonly #rest: RestApi
  readonly #server = createServer((request, response) => this.#serve(request, response))
  readonly #webSockets = new WebSocketServer({ noServer: true })
  #port: number
  #stopping = new AbortController()

  constructor({ port = 0, rateLimits = defaultLimits, ...options }: FakeOptions = {}) {
    this.#port = port
    this.#service = newService(options, () => this.#port)
    const { token, now } = this.#service
    const limits = new RateLimits(rateLimits, now)
    this.#rest = new RestApi({ token, now, limits, service: this.#service })
    this.#server.on('upgrade', (request, socket, head) => this.#connect(request, socket, head))
  }

  /** After a stop it comes back at the same port, with all that it knew. */
  async start(): Promise<this> {
    this.#stopping = new AbortController()
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = portOf(this.#server)
    return this
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.dropSockets()
    this.#server.closeAllConnections()
    await new Promise((stopped) => this.#server.close(stopped))
  }

  get port(): number {
    return this.#port
  }

  /** What discord.js wants as `rest.api`. */
  get api(): string {
    return `http://127.0.0.1:${this.#port}/api`
  }

  get gatewayURL(): string {
    return this.#service.gatewayURL()
  }

  get token(): string {
    return this.#service.token
  }

  get bot(): APIUser {
    return this.#service.bot
  }

  // What people do.

  createUser(username = 'owner'): APIUser {
    return newUser(this.#service, username)
  }

  openDm(user: APIUser): Dm {
    return this.#service.conversations.openDm(user)
  }

  userSends(dm: Dm, user: APIUser, content: string, options: SendOptions = {}): Message {
    return sendAs(this.#service, dm, user, content, options)
  }

  userSendsInGuild(guild: Guild, user: APIUser, content: string): void {
    sendInGuildAs(this.#service, guild, user, content)
  }

  userDeletes(message: Message): void {
    deleteAs(this.#service, message)
  }

  userRuns(
    dm: Dm,
    user: APIUser,
    command: string,
    options: Readonly<Record<string, OptionValue>> = {},
    mutate?: Mutate,
  ): InteractionRecord {
    return runAs(this.#service, dm, user, command, options, mutate)
  }

  /** `button` is its custom id or what stands on it. */
  userClicks(message: Message, user: APIUser, button: string, mutate?: Mutate): InteractionRecord {
    return clickAs(this.#service, message, user, button, mutate)
  }

  /** A click with a custom id that no button has. */
  userForges(dm: Dm, user: APIUser, customID: string, message?: Message): InteractionRecord {
    return forgeAs(this.#service, dm, user, customID, message)
  }

  // What a test asks.

  /** All messages as they are now, also those that only one person sees. */
  channelMessages(channelID: string): Message[] {
    return this.#service.conversations.messages(channelID)
  }

  botMessages(channelID: string): Message[] {
    return this.channelMessages(channelID).filter(({ author }) => author.id === this.bot.id)
  }

  /** What a message of the bot was sent with. */
  nonceOf({ id }: Message): string | undefined {
    return this.#service.nonces.usedFor(id)
  }

  /** Every version of every message. */
  get history(): readonly Version[] {
    return this.#service.conversations.history
  }

  /** Every file that was sent, with its bytes. */
  get attachments(): readonly SentFile[] {
    return this.#service.files.sent
  }

  get reactions(): readonly ReactionChange[] {
    return this.#service.reactions.changes
  }

  get typing(): Service['typing'] {
    return this.#service.typing
  }

  get commands(): readonly Command[] {
    return this.#service.commands
  }

  get interactions(): readonly InteractionRecord[] {
    return [...this.#service.interactions.records.values()]
  }

  get requests(): readonly RequestLog[] {
    return this.#rest.requests
  }

  calls(method: string, path: RegExp): RequestLog[] {
    return this.requests.filter((request) => request.method === method && path.test(request.path))
  }

  /** Requests that Discord has no answer for, or the fake. */
  get unhandled(): readonly string[] {
    return this.#rest.unhandled
  }

  /** How often a client was told that it asks too much. */
  get rest429(): number {
    return this.#rest.refusals
  }

  until<T>(what: string, look: () => T | null | false | undefined, limit?: number): Promise<T> {
    return until(what, look, limit)
  }

  untilCallback(record: InteractionRecord, limit?: number): Promise<Callback> {
    return this.until(`an answer to interaction ${record.id}`, () => record.callback, limit)
  }

  // What goes wrong.

  get faults(): Fault[] {
    return this.#rest.faults
  }

  get ackHeartbeats(): boolean {
    return this.#service.gateway.ackHeartbeats
  }

  set ackHeartbeats(acknowledged: boolean) {
    this.#service.gateway.ackHeartbeats = acknowledged
  }

  get gatewayLog(): readonly GatewayLogEntry[] {
    return this.#service.gateway.log
  }

  /** How many clients have a session now. */
  get connected(): number {
    return this.#service.gateway.connected
  }

  /** Cuts every connection to the gateway, or closes it with a code. */
  dropSockets(how: 'terminate' | number = 'terminate'): void {
    this.#service.gateway.drop(how)
  }

  /** Op 7: clients are to connect anew and resume. */
  sendReconnect(): void {
    this.#service.gateway.sendReconnect()
  }

  /** Op 9. */
  sendInvalidSession(resumable: boolean): void {
    this.#service.gateway.sendInvalidSession(resumable)
  }

  /** No session can be resumed from now on. */
  invalidateSessions(): void {
    this.#service.gateway.invalidateSessions()
  }

  #connect(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { gateway } = this.#service
    const url = new URL(request.url ?? '/', this.gatewayURL)
    if (this.acceptConnections)
      this.#webSockets.handleUpgrade(request, socket, head, (ws) => gateway.accept(ws, url))
    else {
      gateway.refuse()
      socket.destroy()
    }
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/'
    const file = path.startsWith('/attachments/') ? this.#service.files.at(path) : undefined
    if (file) {
      response.writeHead(200, { 'content-type': file.attachment.content_type ?? 'application/octet-stream' })
      response.end(file.content)
    } else void this.#rest.serve(request, response, this.#stopping.signal)
  }
}
