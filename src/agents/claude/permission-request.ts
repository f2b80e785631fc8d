import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { PermissionRequest } from '../driver.ts'

type Input = Readonly<Record<string, unknown>>

/** What a call of one of Claude's tools is about, in the words of our policy; null for those that touch nothing. */
export function requestOf(tool: string, input: Input, cwd: string): PermissionRequest | null {
  const file = (action: 'read' | 'write', path: unknown): PermissionRequest => {
    const full = resolve(cwd, typeof path === 'string' ? withHome(path) : '.')
    return { tool: action, action, detail: full, path: full }
  }
  switch (tool) {
    case 'Read':
      return file('read', input.file_path)
    case 'Glob':
      return { ...file('read', searchedFrom(input)), isDeep: true }
    case 'Grep':
      return { ...file('read', input.path), isDeep: true }
    case 'Write':
    case 'Edit':
      return file('write', input.file_path)
    case 'NotebookEdit':
      return file('write', input.notebook_path)
    case 'Bash':
      return command(input)
    case 'Agent':
    case 'Task':
      // One that runs here is asked call by call; elsewhere it is out of sight.
      return input.isolation === undefined ? null : { tool, action: 'other', detail: detailOf(tool, input) }
    default:
      return harmless.has(tool) ? null : { tool, action: 'other', detail: detailOf(tool, input) }
  }
}

// A command outside Claude's own sandbox needs an approval of its own.
function command(input: Input): PermissionRequest {
  const line = wordsOf(input.command)
  if (input.dangerouslyDisableSandbox !== true) return { tool: 'run', action: 'run', detail: line }
  return { tool: 'run', action: 'run', detail: `outside Claude's own sandbox: ${line}`, command: line }
}

// Claude takes it for the person's home, wherever it works.
const withHome = (path: string): string => path.trim().replace(/^~(?=\/|$)/, homedir())

// A pattern that is absolute, or climbs, looks elsewhere than the path says. What stands before its first wildcard may be
// half a name: the directory counts then.
function searchedFrom({ path, pattern }: Input): unknown {
  if (typeof pattern !== 'string') return path
  const full = withHome(pattern)
  const [plain = ''] = /^[^*?[{]*/.exec(full) ?? []
  const fixed = plain === full ? plain : plain.slice(0, plain.lastIndexOf('/') + 1)
  const climbs = (part: string): boolean => part.split('/').includes('..')
  if (climbs(full.slice(fixed.length))) return '/'
  const from = typeof path === 'string' ? withHome(path) : '.'
  return isAbsolute(fixed) ? fixed : climbs(fixed) ? join(from, fixed) : path
}

/** Tools that only keep Claude's own order. */
const harmless = new Set([
  ...['ListAgents', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskStop', 'TaskUpdate'],
  ...['TodoWrite', 'ToolSearch'],
])

const wordsOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

// All that was said, so that an approval covers no more than it shows. A page that is fetched, or a search, is named by itself.
function detailOf(tool: string, input: Input): string {
  const named = tool === 'WebFetch' ? input.url : tool === 'WebSearch' ? input.query : undefined
  if (typeof named === 'string') return named
  const [only, ...more] = Object.values(input)
  return typeof only === 'string' && more.length === 0 ? only : JSON.stringify(input)
}
