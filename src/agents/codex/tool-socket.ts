import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isRunning } from '../../process-identity.ts'
import type { Tool } from '../driver.ts'
import { onLine, parseLine } from './lines.ts'
import { answerMcp } from './mcp-session.ts'
import type { McpServer } from './thread.ts'

// Codex starts `bough mcp`, which connects here: the tools run in this process. Whoever knows the secret may call them.

/** Serves the tools of one connection on a socket of its own. */
export class ToolSocket {
  readonly path: string
  readonly secret = randomBytes(32).toString('hex')
  readonly #tools: readonly Tool[]
  readonly #server: Server
  readonly #clients = new Set<Socket>()

  static async listen(tools: readonly Tool[]): Promise<ToolSocket> {
    await clearUp()
    // Made for its owner only. Its path is short: those of sockets are limited.
    const directory = await mkdtemp(join(tmpdir(), `bough-${process.pid}-`))
    const socket = new ToolSocket(join(directory, 's'), tools)
    try {
      socket.#server.listen(socket.path)
      await once(socket.#server, 'listening')
      return socket
    } catch (error) {
      await rm(directory, { recursive: true, force: true })
      throw error
    }
  }

  private constructor(path: string, tools: readonly Tool[]) {
    this.path = path
    this.#tools = tools
    this.#server = createServer((client) => this.#serve(client))
  }

  /** What Codex needs to start the program that leads here, as a process of the agent's. */
  serverFor([command = '', ...args]: readonly string[], agent: number): McpServer {
    const env = { BOUGH_MCP_SOCKET: this.path, BOUGH_MCP_SECRET: this.secret, BOUGH_AGENT: String(agent) }
    return { command, args, env }
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const client of this.#clients) client.destroy()
    await closed
    await rm(dirname(this.path), { recursive: true, force: true })
  }

  #serve(client: Socket): void {
    this.#clients.add(client)
    client.on('close', () => this.#clients.delete(client))
    // One that goes away needs no answer.
    client.on('error', () => {})
    let isTrusted = false
    onLine(client, (line) => {
      if (isTrusted) void this.#answer(line, client)
      else if (isEqual(line.trim(), this.secret)) isTrusted = true
      else client.destroy()
    })
  }

  async #answer(line: string, client: Socket): Promise<void> {
    const answer = await answerMcp(parseLine(line), this.#tools)
    if (answer !== null && client.writable) client.write(`${JSON.stringify(answer)}\n`)
  }
}

/** Milliseconds after which a directory is nobody's any more whose process does not run here; it may run in a container. */
const forgotten = 24 * 60 * 60_000

// Killed processes leave theirs.
async function clearUp(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = /^bough-(\d+)-\w{6}$/.exec(name) ?? []
    if (pid === undefined || isRunning(Number(pid))) continue
    const path = join(tmpdir(), name)
    const found = await stat(path).catch(() => null)
    // Of somebody else it cannot be removed.
    if (found && Date.now() - found.mtimeMs > forgotten)
      await rm(path, { recursive: true, force: true }).catch(() => {})
  }
}

function isEqual(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)]
  return a.length === b.length && timingSafeEqual(a, b)
}
