import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Duplex } from 'node:stream'
import type { HostRule } from '../../../tree/network.ts'
import { reachableAddress } from './reachable-address.ts'

export interface AllowedHosts {
  /** What the person allows. */
  readonly hosts: readonly HostRule[]
  /** Where the agent's model is. */
  readonly endpoints: readonly HostRule[]
}

/** An HTTP proxy on a socket of its own, the only way out of a sandbox: it connects to the allowed hosts and to no other. */
export class NetworkProxy {
  readonly path: string
  readonly #allowed: AllowedHosts
  readonly #server: Server
  readonly #open = new Set<Duplex>()

  static async listen(allowed: AllowedHosts): Promise<NetworkProxy> {
    const directory = await mkdtemp(join(tmpdir(), `bough-${process.pid}-`))
    const proxy = new NetworkProxy(join(directory, 'n'), allowed)
    proxy.#server.listen(proxy.path)
    await once(proxy.#server, 'listening')
    return proxy
  }

  private constructor(path: string, allowed: AllowedHosts) {
    this.path = path
    this.#allowed = allowed
    this.#server = createServer((incoming, answer) => void this.#forward(incoming, answer))
    this.#server.on('connect', (incoming, client, head) => void this.#tunnel(incoming, client, head))
    this.#server.on('connection', (socket) => this.#keep(socket))
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#open) socket.destroy()
    await closed
    await rm(dirname(this.path), { recursive: true, force: true })
  }

  async #tunnel({ url = '' }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    this.#keep(client)
    const [, bracketed, plain = '', port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(url) ?? []
    const host = (bracketed ?? plain).toLowerCase()
    const address = await this.#addressOf(host, Number(port))
    if (address === null) return void client.end(`HTTP/1.1 403 Forbidden\r\n\r\n${refusal(host)}`)
    const server = this.#keep(connect(Number(port), address))
    server.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
    server.on('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      server.write(head)
      server.pipe(client).pipe(server)
    })
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroy())
  }

  async #forward(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const target = URL.parse(incoming.url ?? '')
    const host = target?.hostname.replace(/^\[|\]$/g, '') ?? ''
    const port = Number(target?.port || 80)
    const address = target?.protocol === 'http:' ? await this.#addressOf(host, port) : null
    if (target === null || address === null) return void answer.writeHead(403).end(refusal(host))
    const headers = Object.entries(incoming.headers).filter(([name]) => !name.startsWith('proxy-'))
    const outgoing = request({
      ...{ host: address, port, method: incoming.method, path: target.pathname + target.search },
      headers: { ...Object.fromEntries(headers), host: target.host },
      agent: false,
    })
    outgoing.on('socket', (socket) => this.#keep(socket))
    outgoing.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()))
    outgoing.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    incoming.pipe(outgoing)
  }

  #addressOf(host: string, port: number): Promise<string | null> {
    const { hosts, endpoints } = this.#allowed
    return reachableAddress(host, port, hosts, endpoints).catch(() => null)
  }

  #keep<T extends Duplex | Socket>(socket: T): T {
    this.#open.add(socket)
    socket.on('close', () => this.#open.delete(socket))
    // One that breaks off needs no answer.
    socket.on('error', () => {})
    return socket
  }
}

const refusal = (host: string): string =>
  `bough: the sandbox does not let this session reach ${host}. To allow it: bough config sandbox.network\n`
