import { dirname } from 'node:path'
import type { PermissionRequest } from '../agents/driver.ts'
import { type Offer, once } from '../tree/permission.ts'
import { visibleText } from '../tree/plain-text.ts'
import { reachOf } from '../tree/shell/command-prefix.ts'
import { trimmedLine } from '../tree/shell/words.ts'
import type { Decision, JudgedFile } from './policy.ts'
import { isWithin, realPathOf } from './real-path.ts'

/** The approvals that a person may give, the narrowest first. Each rule covers exactly what its words name. */
export async function offersFor(
  request: PermissionRequest,
  file: JudgedFile | null,
  decision: Decision,
): Promise<readonly Offer[]> {
  const { tool, action, eachTime, command } = request
  if (decision !== 'ask' || eachTime || command !== undefined || /[()]/.test(tool)) return [once]
  const reach = action === 'run' ? reachOf(request.detail) : null
  if (reach?.kind === 'launcher') return [once]
  const every: Offer = {
    scope: 'tool',
    words: `every ${action === 'run' ? 'command' : tool} this session`,
    rule: tool,
  }
  const covered = file ? await directoryOf(file, request) : callOf(request)
  if (!covered || visibleText(covered.pattern) !== covered.pattern) return [once, every]
  const rule = `${tool}(${covered.pattern})`
  return [
    once,
    { scope: 'session', words: `${covered.words} this session`, rule },
    { scope: 'always', words: `${covered.words} always`, rule },
    every,
  ]
}

interface Covered {
  readonly words: string
  /** As in a rule for the tool. */
  readonly pattern: string
}

/** Longer ones are no rule that anybody would read. */
const longestRule = 2000
/** A button names it. */
const longestDirectory = 500

function callOf({ action, detail }: PermissionRequest): Covered | null {
  const reach = action === 'run' ? reachOf(detail) : null
  if (reach?.kind === 'prefix') return { words: `${reach.words} …`, pattern: `${reach.words} *` }
  const pattern = action === 'run' ? trimmedLine(detail) : detail
  // At its end a `*` would make it a beginning.
  if (reach?.kind === 'not-simple' || pattern.endsWith('*') || pattern.length > longestRule) return null
  return { words: `this exact ${action === 'run' ? 'command' : 'request'}`, pattern }
}

/** The directory of a file, unless that is a home directory or above one; in a rule, `*` would stand for anything. */
async function directoryOf(
  { realPath, home }: JudgedFile,
  { tool, isDeep }: PermissionRequest,
): Promise<Covered | null> {
  const directory = isDeep ? realPath : dirname(realPath)
  const isTooWide = dirname(directory) === directory || isWithin((await realPathOf(home)) ?? home, directory)
  if (isTooWide || directory.includes('*') || directory.length > longestDirectory) return null
  return { words: `${tool} in ${directory}`, pattern: `${directory}/*` }
}
