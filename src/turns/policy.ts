import type { PermissionRequest } from '../agents/driver.ts'
import { allowsCommand, deniesCommand, matchesText } from './command-rules.ts'
import type { FileAccess } from './file-access.ts'
import { covers, isMeantFor, type RuledFile } from './path-rules.ts'

/** What the person has decided once for all agents and sessions. */
export interface Policy {
  /** Rules that need no asking: a tool's name, or `name(beginning*)` and `name(exactly this)` for its detail. */
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  /** Milliseconds until a question that nobody answers is denied. */
  readonly timeout: number
}

export type Decision =
  | 'allow'
  | 'deny'
  /** Unless the person has allowed more than one call. */
  | 'ask'
  /** Only an approval of this very call counts. */
  | 'ask-each-time'

/** A request about a file, judged. */
export type JudgedFile = FileAccess & Pick<RuledFile, 'directory' | 'home'>

/**
 * bough's own data is closed, whatever the rules say. Deny wins over allow, both over the defaults: what is free is done,
 * everything else is asked.
 */
export async function decide(
  policy: Policy,
  request: PermissionRequest,
  file: JudgedFile | null,
): Promise<Decision> {
  if (file?.access === 'never') return 'deny'
  const denial = await denialOf(policy.deny, request, file)
  if (denial === 'all') return 'deny'
  const covering = file?.isProtected ? policy.allow.filter((rule) => !isOpen(rule)) : policy.allow
  if (denial === null && (await isNamedBy(covering, request, file))) return 'allow'
  if (denial === null && file?.access === 'free') return 'allow'
  return denial === 'part' || file?.isProtected || request.eachTime ? 'ask-each-time' : 'ask'
}

/** Whether one of these rules is for it. */
export async function isNamedBy(
  rules: readonly string[],
  request: PermissionRequest,
  file: JudgedFile | null,
): Promise<boolean> {
  for (const rule of rules) if (await allows(rule, request, file)) return true
  return false
}

async function allows(rule: string, request: PermissionRequest, file: JudgedFile | null): Promise<boolean> {
  const [name, pattern] = partsOf(rule)
  if (name !== request.tool) return false
  if (pattern === null) return true
  if (file) return covers(pattern, ruled(request, file))
  return request.action === 'run'
    ? allowsCommand(pattern, request.detail)
    : matchesText(pattern, request.detail)
}

async function denialOf(
  rules: readonly string[],
  request: PermissionRequest,
  file: JudgedFile | null,
): Promise<'all' | 'part' | null> {
  let denial: 'part' | null = null
  for (const rule of rules) {
    const [name, pattern] = partsOf(rule)
    if (name !== request.tool) continue
    if (pattern === null || (!file && denies(pattern, request))) return 'all'
    const meant = file && (await isMeantFor(pattern, ruled(request, file)))
    if (meant === 'all') return 'all'
    denial = meant ?? denial
  }
  return denial
}

const ruled = ({ path, isDeep = false }: PermissionRequest, file: JudgedFile): RuledFile => ({
  ...file,
  path: path ?? file.realPath,
  isDeep,
})

const isOpen = (rule: string): boolean => rule.trim().endsWith('*)')

const denies = (pattern: string, request: PermissionRequest): boolean =>
  request.action === 'run' ? deniesCommand(pattern, request) : matchesText(pattern, request.detail)

function partsOf(rule: string): readonly [name: string, pattern: string | null] {
  const [, name = '', pattern = null] = /^([^()]+)(?:\((.*)\))?$/s.exec(rule.trim()) ?? []
  return [name.trim(), pattern]
}
