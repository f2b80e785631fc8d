import { allowAlways, type Config, readConfig } from './config.ts'
import type { Home } from './home.ts'
import type { Policy } from './turns/policy.ts'

export interface OpenPolicy {
  /** As the configuration has it now; as it was, where that cannot be read. */
  current(): Promise<Policy>
  /** Adds a rule to it. */
  allowAlways(rule: string): Promise<void>
}

/** What the person has decided for all sessions. It may change while they run. */
export function openPolicy(home: Home, { permissions }: Config): OpenPolicy {
  let known = permissions
  // One after the other: each writes the whole file.
  let adding: Promise<unknown> = Promise.resolve()
  return {
    async current() {
      known = await readConfig(home).then(
        (config) => config.permissions,
        () => known,
      )
      return { ...known, timeout: known.timeout * 1000 }
    },
    allowAlways(rule) {
      const added = adding.then(() => allowAlways(home, rule))
      adding = added.catch(() => {})
      return added
    },
  }
}
