import type { GitStatus } from '../tree/session-status.ts'
import { dirtyFiles } from './capture/dirty-files.ts'
import { findProject } from './project.ts'
import { withShadow } from './shadow/with-shadow.ts'

/** How a directory stands in git; null where there is none. */
export async function gitStatus(dataDirectory: string, directory: string): Promise<GitStatus | null> {
  const project = await findProject(directory).catch(() => null)
  const repository = project?.repository
  if (!project || !repository) return null
  const dirty = await withShadow(dataDirectory, project, (shadow) =>
    dirtyFiles(shadow, project.root, repository),
  )
  return { branch: repository.branch, dirty }
}
