import type { PersonsDoing } from '../../src/bough.ts'
import type { Home } from '../../src/home.ts'
import type { ChannelID, ScheduleID, SessionID } from '../../src/tree/ids.ts'
import type { KeeperOrder, KeeperReport, Keeping } from '../workers/keeper-orders.ts'
import { Program } from './program.ts'

type Wish = KeeperOrder extends infer Each ? (Each extends KeeperOrder ? Omit<Each, 'id'> : never) : never

/** Another process with a bough of its own, which keeps time or shows a channel. */
export class Keeper {
  readonly program: Program<KeeperReport>
  #orders = 0

  static async start(
    home: Home,
    { clock = null, attends = null, keepsTime = false, ...more }: Partial<Omit<Keeping, 'home'>> = {},
  ): Promise<Keeper> {
    const keeping: Keeping = { home, clock, attends, keepsTime, ...more }
    const keeper = new Keeper(Program.start('keeper', home, [JSON.stringify(keeping)]))
    await keeper.program.hears('that it is ready', (report) => report.kind === 'ready')
    return keeper
  }

  private constructor(program: Program<KeeperReport>) {
    this.program = program
  }

  /** Says something in a channel there; what it resolves with resolves when that is done. */
  say(channelID: ChannelID, what: PersonsDoing): { done(): Promise<void> } {
    const id = this.#tell({ do: 'say', channelID, what })
    return { done: async () => void (await this.#hears('said', id)) }
  }

  async run(channelID: ChannelID, prompt: string): Promise<SessionID> {
    return (await this.#hears('started', this.#tell({ do: 'run', channelID, prompt }))).sessionID
  }

  async runSchedule(scheduleID: ScheduleID): Promise<void> {
    await this.#hears('said', this.#tell({ do: 'run-schedule', scheduleID }))
  }

  #tell(wish: Wish): number {
    this.#orders += 1
    this.program.tell({ ...wish, id: this.#orders })
    return this.#orders
  }

  #hears<K extends 'said' | 'started'>(kind: K, id: number): Promise<Extract<KeeperReport, { kind: K }>> {
    const isAnswer = (report: KeeperReport): report is Extract<KeeperReport, { kind: K }> => {
      if (!('id' in report) || report.id !== id) return false
      if (report.kind === 'refused') throw new Error(report.message)
      return report.kind === kind
    }
    return this.program.hears(`that order ${id} is ${kind}`, isAnswer)
  }
}
