import type { ProjectAccess } from '../agents/driver.ts'
import { gitFilters } from '../workspace/git-filters.ts'
import { topOf } from '../workspace/top-of.ts'

/** What the agent of a session in this directory may load. */
export async function projectAccess(directory: string): Promise<ProjectAccess> {
  return {
    ...(await topOf(directory)),
    isTrusted: false,
    gitFilters: () => gitFilters(directory),
  }
}
