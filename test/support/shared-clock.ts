import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What time it is for several processes: they read it from a file. */
export class SharedClock {
  readonly file: string
  #now: number

  constructor(directory: string, now: number) {
    this.file = join(directory, 'clock')
    this.#now = now
    this.set(now)
  }

  get now(): number {
    return this.#now
  }

  /** Nobody ever reads half of a time. */
  set(now: number): void {
    this.#now = now
    writeFileSync(`${this.file}.next`, String(now))
    renameSync(`${this.file}.next`, this.file)
  }
}
