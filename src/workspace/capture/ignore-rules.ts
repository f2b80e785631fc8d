import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { GitError, type GitPlace, records, tryGit } from '../git.ts'
import type { Project } from '../project.ts'
import { joined } from '../raw-path.ts'
import { stampOf, textOf } from '../shadow/settings.ts'
import type { Shadow } from '../shadow/shadow.ts'

/**
 * Which rules tell what is ignored, as far as they are not among the project's files; and which state of the person's
 * index, since what that tracks is not ignored. Asking which of all known files are ignored takes as long as a scan:
 * only when this is another than before.
 */
export function rulesInForce(shadow: Shadow, { repository }: Project): string {
  const { excludesFile } = shadow.settings
  const lists = [join(shadow.directory, 'info', 'exclude'), excludesFile]
  const hash = createHash('sha256').update(excludesFile)
  for (const content of lists.map(textOf)) hash.update(`\0${content.length}\0`).update(content, 'latin1')
  return `${hash.digest('hex')} ${repository ? stampOf(repository.index) : ''}`
}

/** Which of these paths are ignored, tracked or not. */
export async function ignoredAmong(place: GitPlace, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return []
  const args = ['check-ignore', '-z', '--no-index', '--stdin']
  // This command wants no literal paths; one that begins like this has no other meaning.
  const plain = { ...place, env: { ...place.env, GIT_LITERAL_PATHSPECS: '0' } }
  const input = joined(paths.map((path) => `./${path}`))
  const { code, stdout, stderr } = await tryGit(plain, args, { input })
  // 1 is none of them.
  if (code !== 0 && code !== 1) throw new GitError(args, stderr)
  return records(stdout).map((path) => path.slice(2))
}
