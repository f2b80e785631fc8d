import { BoughError } from '../tree/error.ts'
import type { Driver } from './driver.ts'

/** The agents there are, by name; those that people would rather talk to first. */
export class Agents {
  readonly #drivers: ReadonlyMap<string, Driver>

  constructor(drivers: readonly Driver[]) {
    this.#drivers = new Map(drivers.map((driver) => [driver.name, driver]))
  }

  get all(): readonly Driver[] {
    return [...this.#drivers.values()]
  }

  /** What any of them is configured by in a project. */
  get settings(): readonly string[] {
    return this.all.flatMap((driver) => driver.settings)
  }

  named(name: string): Driver {
    const driver = this.#drivers.get(name)
    if (driver) return driver
    const known = [...this.#drivers.keys()].join(', ')
    throw new BoughError('agent_unknown', `There is no agent "${name}" here. There is: ${known}.`)
  }

  /** Throws where nobody could talk to it: better now than with the first prompt. */
  async mustBeInstalled(name: string): Promise<void> {
    const { installed, detail, fix } = await this.named(name).check()
    if (!installed)
      throw new BoughError('agent_failed', `${name}: ${detail}.${fix ? ` Do this: ${fix}` : ''}`)
  }

  /** The first that is set up. */
  async firstReady(): Promise<string> {
    for (const driver of this.#drivers.values()) if ((await driver.check()).ready) return driver.name
    throw new BoughError('agent_failed', 'No agent is set up. "bough doctor" says what is missing.')
  }

  async close(): Promise<void> {
    const ends = await Promise.allSettled(this.all.map((driver) => driver.close()))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
}
