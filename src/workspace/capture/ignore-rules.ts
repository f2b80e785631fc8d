import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Project } from '../project.ts'
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
