import { once } from 'node:events'
import { connect } from 'node:net'
import type { Readable, Writable } from 'node:stream'

/** Passes on what an agent says to the socket with our tools, and back. Resolves when one of the two is done. */
export async function relay(
  socketPath: string,
  secret: string,
  stdin: Readable,
  stdout: Writable,
): Promise<void> {
  const socket = connect(socketPath)
  await once(socket, 'connect')
  socket.write(`${secret}\n`)
  stdin.pipe(socket)
  socket.pipe(stdout, { end: false })
  // A session that is closed breaks the connection off.
  socket.on('error', () => {})
  await once(socket, 'close')
  stdin.unpipe(socket)
  stdin.destroy()
}
