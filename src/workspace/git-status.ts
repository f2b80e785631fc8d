import { hasCode } from '../tree/error.ts'
import type { GitStatus } from '../tree/session-status.ts'
import { dirtyFiles } from './capture/dirty-files.ts'
import { findProject } from './project.ts'
import { withShadow } from './shadow/with-shadow.ts'

/** How a directory stands in git; null where there is none. */
export async function gitStatus(dataDirectory: string, directory: string): Promise<GitStatus | null> {
  const project = await findProject(directory).catch(() => null)
  const repository = project?.repository
  if (!project || !repository) return null
  const count = withShadow(dataDirectory, project, (shadow) => dirtyFiles(shadow, project.root, repository))
  const dirty = await count.catch((error) => {
    // git cannot look either.
    if (hasCode(error, 'file_unreadable')) return null
    throw error
  })
  return { branch: repository.branch, dirty }
}
