import type { AppServer } from './app-server.ts'

/** A use of the shared server, by one connection. */
export interface Lease {
  readonly server: AppServer
  release(): Promise<void>
}

interface Running {
  readonly server: Promise<AppServer>
  begun: Promise<void> | null
  users: number
}

/** The one server of all connections: started for the first of them, ended after the last. */
export class SharedServer {
  readonly #start: () => Promise<AppServer>
  #running: Running | null = null

  constructor(start: () => Promise<AppServer>) {
    this.#start = start
  }

  /** Everybody who joins has recorded the process before it does anything for them. */
  async join(recordProcess: (pid: number) => Promise<void>): Promise<Lease> {
    this.#running ??= this.#startNew()
    const running = this.#running
    running.users++
    let isReleased = false
    const release = async () => {
      if (isReleased) return
      isReleased = true
      await this.#leave(running)
    }
    try {
      const server = await running.server
      await recordProcess(server.pid)
      running.begun ??= server.begin()
      await running.begun
      return { server, release }
    } catch (error) {
      await release()
      throw error
    }
  }

  async close(): Promise<void> {
    const running = this.#running
    this.#running = null
    await running?.server.then((server) => server.end())
  }

  #startNew(): Running {
    const running: Running = { server: this.#start(), begun: null, users: 0 }
    const forget = () => {
      if (this.#running === running) this.#running = null
    }
    running.server.then((server) => server.exited).then(forget, forget)
    return running
  }

  async #leave(running: Running): Promise<void> {
    if (--running.users > 0) return
    if (this.#running === running) this.#running = null
    const server = await running.server.catch(() => null)
    await server?.end()
  }
}
