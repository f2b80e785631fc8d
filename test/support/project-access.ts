import type { ProjectAccess } from '../../src/agents/driver.ts'

/** What an agent may load of a plain directory that nobody has trusted. */
export const untrusted = (root: string): ProjectAccess => ({
  root,
  commonDirectory: null,
  approved: null,
  fingerprint: '',
  gitFilters: async () => [],
})
