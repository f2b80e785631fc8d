import { resolve } from 'node:path'
import type { PermissionRequest } from '../agents/driver.ts'
import { visibleText } from '../tree/plain-text.ts'
import type { FileAccess } from './file-access.ts'

/** What a question about a file must say beside its path; null for nothing. */
export function cautionFor(
  { action, path }: PermissionRequest,
  { realPath, reason, isProtected }: FileAccess,
): string | null {
  const isLinked = path !== undefined && resolve(path) !== realPath
  const words = [
    ...(isLinked && reason !== 'unresolvable' ? [`leads to ${visibleText(realPath)}`] : []),
    ...(isProtected && action === 'write' ? [whyProtected(reason)] : []),
  ]
  return words.length === 0 ? null : words.join('; ')
}

function whyProtected(reason: FileAccess['reason']): string {
  if (reason === 'unresolvable') return 'nobody can tell where its links lead'
  if (reason === 'hard-link') return 'it has other names (hard links), and changes there too'
  return 'programs take commands from this file'
}
