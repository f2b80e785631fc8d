import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { constants } from 'node:os'
import type { RelayTask } from '../tree/network.ts'

/**
 * Lets a program in a sandbox reach the proxy outside: listens on the sandbox's loopback, starts the program, and resolves with
 * its exit code when it has ended.
 */
export async function relayNetwork(task: RelayTask, env: NodeJS.ProcessEnv): Promise<number> {
  await listen('127.0.0.1', task.port, (client) => join(client, connect(task.socket)))
  for (const { host, port } of task.local)
    await listen(host, port, (client) => tunnel(client, connect(task.socket), `${bracketed(host)}:${port}`))
  const child = spawn(task.command, task.args, {
    stdio: 'inherit',
    env: { ...env, ...proxyVariables(task.port) },
  })
  return exitCodeOf(child)
}

function proxyVariables(port: number): NodeJS.ProcessEnv {
  const url = `http://127.0.0.1:${port}`
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']
  const direct = 'localhost,127.0.0.1,::1'
  return {
    ...Object.fromEntries(
      names.flatMap((name) => [
        [name, url],
        [name.toLowerCase(), url],
      ]),
    ),
    NO_PROXY: direct,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: '1',
  }
}

async function listen(host: string, port: number, serve: (client: Socket) => void): Promise<void> {
  const server = createServer({ allowHalfOpen: true }, serve).listen(port, host)
  await once(server, 'listening')
  // The program decides how long this runs.
  server.unref()
}

function join(client: Socket, way: Socket): void {
  client.pipe(way).pipe(client)
  for (const [socket, other] of [
    [client, way],
    [way, client],
  ] as const) {
    socket.on('error', () => other.destroy())
    socket.on('close', () => other.destroy())
  }
}

/** The proxy answers with one line and an empty one; from there on it is the server itself. */
function tunnel(client: Socket, way: Socket, target: string): void {
  client.pause()
  way.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)
  let answer = Buffer.alloc(0)
  const read = (chunk: Buffer) => {
    answer = Buffer.concat([answer, chunk])
    const end = answer.indexOf('\r\n\r\n')
    if (end < 0) return
    way.off('data', read)
    if (!answer.toString('latin1').startsWith('HTTP/1.1 200 ')) return void client.destroy()
    client.write(answer.subarray(end + 4))
    join(client, way)
  }
  way.on('data', read)
  way.on('error', () => client.destroy())
  client.on('error', () => way.destroy())
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host)

function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(127))
    child.once('exit', (code, signal) =>
      resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]),
    )
  })
}
