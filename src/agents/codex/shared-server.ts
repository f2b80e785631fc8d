import type { AppServer } from './app-server.ts'

/** A use of the shared server, by one connection or for one question. */
export interface Lease {
  readonly server: AppServer
  release(): Promise<void>
}

interface Running {
  readonly server: Promise<AppServer>
  begun: Promise<void> | null
  users: number
  /** Until it is ended, when nobody comes. */
  timer: NodeJS.Timeout | null
}

/** Who has asked it something often has a prompt for it next. */
const linger = 1_000

/** The one server of all who use it: started for the first of them, ended a moment after the last. */
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
    if (running.timer) clearTimeout(running.timer)
    let isReleased = false
    const release = async () => {
      if (isReleased) return
      isReleased = true
      this.#leave(running)
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

  /** For a question that belongs to no session. It makes the process do nothing that would have to be stopped. */
  async use<T>(work: (server: AppServer) => Promise<T>): Promise<T> {
    const { server, release } = await this.join(async () => {})
    try {
      return await work(server)
    } finally {
      await release()
    }
  }

  async close(): Promise<void> {
    const running = this.#running
    this.#running = null
    if (running) await this.#end(running)
  }

  #startNew(): Running {
    const running: Running = { server: this.#start(), begun: null, users: 0, timer: null }
    const forget = () => {
      if (this.#running === running) this.#running = null
    }
    running.server.then((server) => server.exited).then(forget, forget)
    return running
  }

  #leave(running: Running): void {
    if (--running.users > 0) return
    running.timer = setTimeout(() => void this.#end(running), linger).unref()
  }

  async #end(running: Running): Promise<void> {
    if (running.timer) clearTimeout(running.timer)
    if (this.#running === running) this.#running = null
    const server = await running.server.catch(() => null)
    await server?.end()
  }
}
