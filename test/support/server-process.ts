import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Home } from '../../src/home.ts'
import type { Measured, ServerReport, Serving } from '../workers/server-orders.ts'
import { Program } from './program.ts'

/** A server in a process of its own, whose memory can be looked at. */
export class ServerProcess {
  readonly program: Program<ServerReport>
  readonly url: string
  readonly token: string
  readonly project: string
  #orders = 0

  static async start(home: Home, options: Partial<Serving> = {}): Promise<ServerProcess> {
    const project = options.project ?? (await mkdtemp(join(tmpdir(), 'project-')))
    const serving = { port: 0, pace: 0, token: crypto.randomUUID(), ...options, project }
    const program = Program.start<ServerReport>('server', home, [JSON.stringify(serving)])
    const { url } = await program.hears('where it serves', (report) => report.kind === 'serving')
    return new ServerProcess(program, url, serving)
  }

  private constructor(program: Program<ServerReport>, url: string, { token, project }: Serving) {
    this.program = program
    this.url = url
    this.token = token
    this.project = project
  }

  measure(): Promise<Measured> {
    this.#orders += 1
    const id = this.#orders
    this.program.tell({ id })
    return this.program.hears('what it measured', (report): report is Measured => {
      return report.kind === 'measured' && report.id === id
    })
  }
}
