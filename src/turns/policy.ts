import type { PermissionRequest } from '../agents/driver.ts'

/** What the person has decided once for all agents and sessions. */
export interface Policy {
  /** Rules that need no asking: a tool's name, or `name(beginning*)` and `name(exactly this)` for its detail. */
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  /** Milliseconds until a question that nobody answers is denied. */
  readonly timeout: number
}

/** Where a file lies, links followed. `session-settings`: in the session's directory, and it says what others may run. */
export type Place = 'session-directory' | 'session-settings' | 'bough-data' | 'elsewhere'

export type Decision = 'allow' | 'deny' | 'ask'

/**
 * Deny wins over allow, both over the defaults: files in the session's directory are free, but for writing those from
 * which agents and git take what to run; everything else is asked.
 */
export function decide(policy: Policy, request: PermissionRequest, place: Place): Decision {
  if (place === 'bough-data') return 'deny'
  if (policy.deny.some((rule) => matches(rule, request))) return 'deny'
  if (isNamedBy(policy.allow, request)) return 'allow'
  const { action } = request
  const isFree =
    (place === 'session-directory' && action === 'write') || (place !== 'elsewhere' && action === 'read')
  return isFree ? 'allow' : 'ask'
}

/** Whether one of these rules is for it. */
export const isNamedBy = (rules: readonly string[], request: PermissionRequest): boolean =>
  rules.some((rule) => matches(rule, request) && !(isOpen(rule) && chains(request)))

const isOpen = (rule: string): boolean => rule.trim().endsWith('*)')

// "git status*" must not allow "git status; rm -rf ~": a line that holds more than one command is asked.
const chains = ({ action, detail }: PermissionRequest): boolean =>
  action === 'run' && /[;&|<>$`()\n\r]/.test(detail)

function matches(rule: string, { tool, detail }: PermissionRequest): boolean {
  const [, name, pattern] = /^([^()]+)(?:\((.*)\))?$/s.exec(rule.trim()) ?? []
  if (name?.trim() !== tool) return false
  if (pattern === undefined) return true
  return pattern.endsWith('*') ? detail.startsWith(pattern.slice(0, -1)) : detail === pattern
}
