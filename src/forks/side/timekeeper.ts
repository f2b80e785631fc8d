import { Duty } from './duty.ts'
import type { SideParts } from './side-parts.ts'

/** Something that is looked at whenever the clock is. */
export type Job = () => Promise<void>

/** Does what time brings, in one process at a time; another goes on when that one is gone. */
export class Timekeeper {
  readonly #own: Job
  readonly #jobs: readonly Job[]
  readonly #duty: Duty
  readonly #every: number
  #timer: NodeJS.Timeout | null = null
  #ticking: Promise<void> | null = null

  /** `own` is done here whoever keeps time. */
  constructor(
    parts: Pick<SideParts, 'store' | 'clock' | 'process'>,
    every: number,
    own: Job,
    jobs: readonly Job[],
  ) {
    this.#own = own
    this.#duty = new Duty(parts, 'time')
    this.#every = every
    this.#jobs = jobs
  }

  get isRunning(): boolean {
    return this.#timer !== null
  }

  /** Resolves when it has looked for the first time. */
  async start(): Promise<void> {
    this.#timer ??= setInterval(() => void this.#tick(), this.#every)
    await this.#tick()
  }

  async stop(): Promise<void> {
    if (!this.#timer) return
    clearInterval(this.#timer)
    this.#timer = null
    await this.#ticking
    await this.#duty.leave().catch(() => {})
  }

  // One look at a time.
  #tick(): Promise<void> {
    this.#ticking ??= this.#look().finally(() => {
      this.#ticking = null
    })
    return this.#ticking
  }

  // What a job cannot do now it does at the next look: one that fails keeps no other from its work.
  async #look(): Promise<void> {
    await this.#own().catch(() => {})
    if (!(await this.#duty.hold().catch(() => false))) return
    for (const job of this.#jobs) if (this.#timer) await job().catch(() => {})
  }
}
