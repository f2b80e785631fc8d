import { connect } from 'node:net'

/** Milliseconds: whoever listens on this machine takes a call at once. */
const patience = 1_000

/** Whether somebody listens at a port of this machine. */
export function isTaken(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({ host: '127.0.0.1', port, timeout: patience })
  socket.once('connect', () => resolve(true))
  socket.once('error', () => resolve(false))
  socket.once('timeout', () => resolve(false))
  return promise.finally(() => socket.destroy())
}
