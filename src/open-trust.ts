import { join } from 'node:path'
import type { Agents } from './agents/agents.ts'
import type { Bough } from './bough.ts'
import { mustBeDirectory } from './check-input.ts'
import type { Config } from './config.ts'
import type { Home } from './home.ts'
import type { Clock } from './tree/ids.ts'
import type { ProjectTrust } from './turns/project-trust.ts'
import type { SetUpTrust } from './turns/set-up-trust.ts'

export interface Trust {
  readonly methods: Pick<Bough, 'trust' | 'grantTrust' | 'revokeTrust' | 'trusted'>
  ofProjects(): Promise<ProjectTrust>
  ofSetUp(): Promise<SetUpTrust>
}

/** What the person trusts on this machine. It is loaded when it is first needed: most commands open no agent. */
export function openTrust(home: Home, config: Config, agents: Agents, clock: Clock): Trust {
  const recordsIn = async (...place: readonly string[]) => {
    const { TrustRecords } = await import('./trust-records.ts')
    return new TrustRecords(join(home.data, 'trust', ...place))
  }
  const ofSetUp = async () => {
    const { SetUpTrust } = await import('./turns/set-up-trust.ts')
    return new SetUpTrust(config.worktree.setup, await recordsIn('set-up'), clock)
  }
  const ofProjects = async () => {
    const { ProjectTrust } = await import('./turns/project-trust.ts')
    return new ProjectTrust({ records: await recordsIn(), agents, clock, setUp: await ofSetUp() })
  }
  const methods: Trust['methods'] = {
    async trust(directory) {
      await mustBeDirectory(directory)
      return (await ofProjects()).of(directory)
    },
    async grantTrust(directory, seen) {
      await mustBeDirectory(directory)
      return (await ofProjects()).grant(directory, seen)
    },
    async revokeTrust(directory) {
      await mustBeDirectory(directory)
      return (await ofProjects()).revoke(directory)
    },
    trusted: async () => (await ofProjects()).all(),
  }
  return { methods, ofProjects, ofSetUp }
}
