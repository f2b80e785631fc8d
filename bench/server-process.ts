import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** What it prints when it listens, with its address. */
  readonly listens: RegExp
  /** The path that answers when it is up. */
  readonly health: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly body: string
  /** The path of the next page. */
  readonly next: string | null
}

/** A server as a process of its own, asked over plain HTTP on connections that stay open. */
export class ServerProcess {
  readonly #child: ChildProcess
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #agent = new Agent({ keepAlive: true })

  /** Resolves when it has answered for the first time. */
  static async start({ command, args, env, cwd, listens, health, headers }: Program): Promise<ServerProcess> {
    await mkdir(cwd, { recursive: true })
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const server = new ServerProcess(child, await addressIn(child, listens), headers)
      await server.ask('GET', health)
      return server
    } catch (error) {
      child.kill('SIGKILL')
      throw error
    }
  }

  private constructor(child: ChildProcess, url: string, headers: Readonly<Record<string, string>>) {
    this.#child = child
    this.#url = url
    this.#headers = headers
  }

  /** Throws where the answer is not fine. */
  async ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await this.open(method, path, body)
    const answer = await text(response)
    const next = /<([^>]+)>; rel="next"/.exec(String(response.headers.link))?.[1] ?? null
    return { status: response.statusCode ?? 0, body: answer, next }
  }

  /** Makes something that has an id. */
  async make(path: string, body: object): Promise<{ readonly id: string }> {
    return JSON.parse((await this.ask('POST', path, body)).body)
  }

  /** The same as `ask`, without reading what it answers. */
  async open(
    method: string,
    path: string,
    body?: unknown,
    accept = 'application/json',
  ): Promise<IncomingMessage> {
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const asked = request(this.#url + path, {
      method,
      agent: this.#agent,
      headers: {
        ...this.#headers,
        accept,
        ...(sent !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(sent),
        }),
      },
    })
    asked.end(sent)
    const [response]: IncomingMessage[] = await once(asked, 'response')
    if (!response) throw new Error('There is no answer.')
    if (response.statusCode !== undefined && response.statusCode < 300) return response
    throw new Error(`${method} ${path} was answered with ${response.statusCode}: ${await text(response)}`)
  }

  /** Megabytes that it has in memory. Linux only. */
  async memory(): Promise<number> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8')
    return (Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024) / 1e6
  }

  /** Milliseconds that it has computed. Linux only, where a tick is 10 ms. */
  async computed(): Promise<number> {
    const stat = await readFile(`/proc/${this.#child.pid}/stat`, 'utf8')
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
    return (Number(user) + Number(system)) * 10
  }

  async stop(): Promise<void> {
    this.#agent.destroy()
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    const hurry = setTimeout(() => this.#child.kill('SIGKILL'), 15_000)
    await ended
    clearTimeout(hurry)
  }
}

/** Starts a server for as long as the work takes. */
export async function withServer<T>(
  program: Program,
  work: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  const server = await ServerProcess.start(program)
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

function addressIn(child: ChildProcess, listens: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let shown = ''
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      shown += piece
      const url = listens.exec(shown)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.on('error', reject)
    child.on('exit', (code) => reject(new Error(`The server ended with ${code}: ${shown}`)))
  })
}
