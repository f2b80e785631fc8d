import type { Home } from '../../src/home.ts'
import type { SessionID } from '../../src/tree/ids.ts'
import type { HostReport, Order } from '../workers/orders.ts'
import { Program } from './program.ts'

type Kind = Exclude<HostReport['kind'], 'loaded'>
type ReportOf<K extends Kind> = Extract<HostReport, { kind: K }>
type Wish = Order extends infer Each ? (Each extends Order ? Omit<Each, 'id'> : never) : never

export interface HostedTurn {
  /** The prompt is in the store. */
  stored(): Promise<ReportOf<'stored'>>
  ended(): Promise<ReportOf<'ended'>>
  /** Whether the prompt is in the store by now, as far as its process has said. */
  isStored(): boolean
}

/** Another process with a bough of its own. */
export class Host {
  readonly program: Program<HostReport>
  #orders = 0

  /** Has everything loaded, but has opened nothing yet. */
  static async load(home: Home): Promise<Host> {
    const host = new Host(Program.start('host', home))
    await host.program.hears('that it is loaded', (report) => report.kind === 'loaded')
    return host
  }

  static async open(home: Home, options: { lease?: number } = {}): Promise<Host> {
    const host = await Host.load(home)
    await host.reopen(home, options)
    return host
  }

  private constructor(program: Program<HostReport>) {
    this.program = program
  }

  get pid(): number {
    return this.program.pid
  }

  async reopen(home: Home, { lease }: { lease?: number } = {}): Promise<void> {
    await this.#answer('opened', { do: 'open', data: home.data, lease: lease ?? null })
  }

  create(directory: string): Promise<ReportOf<'created'>> {
    return this.#answer('created', { do: 'create', directory })
  }

  send(sessionID: SessionID, text: string): HostedTurn {
    const id = this.#tell({ do: 'send', sessionID, text })
    return {
      stored: () => this.#hears('stored', id),
      ended: () => this.#hears('ended', id),
      isStored: () => this.program.reports.some((report) => report.kind === 'stored' && report.id === id),
    }
  }

  async abort(sessionID: SessionID): Promise<boolean> {
    return (await this.#answer('aborted', { do: 'abort', sessionID })).any
  }

  /** Asks for it without waiting for the answer. */
  wishToAbort(sessionID: SessionID): void {
    this.#tell({ do: 'abort', sessionID })
  }

  #answer<K extends Kind>(kind: K, wish: Wish): Promise<ReportOf<K>> {
    return this.#hears(kind, this.#tell(wish))
  }

  #tell(wish: Wish): number {
    this.#orders += 1
    this.program.tell({ ...wish, id: this.#orders })
    return this.#orders
  }

  #hears<K extends Kind>(kind: K, id: number): Promise<ReportOf<K>> {
    const isAnswer = (report: HostReport): report is ReportOf<K> => {
      if (report.kind === 'loaded' || report.id !== id) return false
      if (report.kind === 'refused') throw new Error(report.message)
      return report.kind === kind
    }
    return this.program.hears(`that order ${id} is ${kind}`, isAnswer)
  }
}
