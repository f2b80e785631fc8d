import type { Permission } from './permission.ts'
import { visibleText } from './plain-text.ts'

/** What an agent asks to do, in a line for a person: nothing in it can hide. */
export const permissionWords = ({
  tool,
  detail,
  caution,
}: Pick<Permission, 'tool' | 'detail' | 'caution'>): string =>
  `${visibleText(tool)}: ${visibleText(detail)}${caution === null ? '' : ` (${visibleText(caution)})`}`
