import type { Clock } from '../../tree/ids.ts'
import { Duty, lease } from './duty.ts'
import type { SideParts } from './side-parts.ts'

/** Something that is looked at whenever the clock is. */
export type Job = () => Promise<void>

export interface TimeJobs {
  /** Done first, whoever keeps time. */
  readonly own: Job
  /** What the one who keeps time does. */
  readonly kept: readonly Job[]
  /** Done last, whoever keeps time. */
  readonly last: Job
}

/** Milliseconds after which another process that keeps time is there to stay: one that stands still would have lost it by then. */
const certain = lease + 5_000

/** Does what time brings, in one process at a time; another goes on when that one is gone. */
export class Timekeeper {
  readonly #jobs: TimeJobs
  readonly #clock: Clock
  readonly #duty: Duty
  readonly #every: number
  #timer: NodeJS.Timeout | null = null
  #ticking: Promise<void> | null = null
  /** Since when another process keeps time; null where this one does, or nobody knows. */
  #elsewhereSince: number | null = null

  constructor(parts: Pick<SideParts, 'store' | 'clock' | 'process'>, every: number, jobs: TimeJobs) {
    this.#clock = parts.clock
    this.#duty = new Duty(parts, 'time')
    this.#every = every
    this.#jobs = jobs
  }

  get isRunning(): boolean {
    return this.#timer !== null
  }

  /** Another process has kept time for so long that this one is not needed for it. */
  get isKeptElsewhere(): boolean {
    return this.#elsewhereSince !== null && this.#clock() - this.#elsewhereSince > certain
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
    const { own, kept, last } = this.#jobs
    await own().catch(() => {})
    const isOurs = await this.#duty.hold().catch(() => null)
    this.#elsewhereSince = isOurs === false ? (this.#elsewhereSince ?? this.#clock()) : null
    if (isOurs) for (const job of kept) if (this.#timer) await job().catch(() => {})
    await last().catch(() => {})
  }
}
