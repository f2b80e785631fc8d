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
    ...(reason === 'unresolvable' ? ['nobody can tell where its links lead'] : []),
    ...(isLinked ? [`leads to ${visibleText(realPath)}`] : []),
    ...(isProtected && reason !== 'unresolvable' && action === 'write'
      ? ['programs take commands from this file']
      : []),
  ]
  return words.length === 0 ? null : words.join('; ')
}
