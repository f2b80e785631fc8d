import type { ApprovalScope, Permission } from './permission.ts'
import { visibleText } from './plain-text.ts'

type Asked = Pick<Permission, 'tool' | 'detail' | 'caution'>

/** What an agent asks to do, on one line: nothing in it can hide. */
export const permissionWords = ({ tool, detail, caution }: Asked): string =>
  `${visibleText(tool)}: ${visibleText(detail)}${caution === null ? '' : ` (${visibleText(caution)})`}`

/** The same with the lines that it has, each marked where it begins. */
export function permissionLines(permission: Asked): readonly string[] {
  const { tool, detail, caution } = permission
  if (!detail.includes('\n')) return [permissionWords(permission)]
  return [
    `${visibleText(tool)}:`,
    ...visibleLines(detail).map((line) => `  │ ${line}`),
    ...(caution === null ? [] : [`  (${visibleText(caution)})`]),
  ]
}

/** The lines of a text, in which nothing is hidden. */
export const visibleLines = (text: string): readonly string[] => text.split('\n').map(visibleText)

/** What a permission was answered with, and what it was about. */
export function answerWords(permission: Permission): string {
  const { state, scope, offers } = permission
  const words = offers.find((offer) => offer.scope === scope)?.words
  const how =
    state !== 'allowed' ? 'Denied' : scope === 'call' || !words ? 'Allowed' : `Allowed ${visibleText(words)}`
  return `${how}: ${permissionWords(permission)}`
}

/** How an approval that reaches beyond its call is named on the command line, and by a key. */
export const scopeNames: Readonly<Record<Exclude<ApprovalScope, 'call'>, string>> = {
  session: 'session',
  always: 'always',
  tool: 'every',
}
