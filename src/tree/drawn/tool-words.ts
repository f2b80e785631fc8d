import type { Json, ToolCallPart, ToolResultPart } from '../message.ts'
import { plainLine } from '../plain-text.ts'
import { cutOffOutput, isDenied } from '../stand-in-output.ts'

// Arguments that say most of what a call does, by the names that agents give them; the first that is there counts.
const telling = [
  ...['command', 'cmd', 'file_path', 'file', 'path', 'notebook_path', 'changes', 'pattern', 'query', 'url'],
  ...['prompt', 'description', 'topic', 'title', 'text', 'message'],
]

/** So much of an argument is looked at: it may be a whole file. */
const enough = 500

/** What a tool call does, in a few words: its name and what it is about. */
export const callWords = ({ name, args }: Pick<ToolCallPart, 'name' | 'args'>): string =>
  `${toolName(name)} ${plainLine(argumentWords(args))}`.trim()

/** A tool's name for a person: Claude puts the server before the tools that come over MCP; of ours that says nothing. */
export function toolName(name: string): string {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? []
  if (server === undefined || tool === undefined) return plainLine(name)
  return plainLine(server === 'bough' ? tool : `${server} ${tool}`)
}

/** The arguments of a call by name; none where they have no names. */
export const argumentsOf = (args: Json): readonly (readonly [name: string, value: Json])[] =>
  isObject(args) ? Object.entries(args) : []

/** Which argument the words of a call tell; null where they tell all. */
export const toldArgument = (args: Json): string | null =>
  telling.find((name) => argumentsOf(args).some(([each, value]) => each === name && value !== '')) ?? null

function argumentWords(args: Json): string {
  if (!isObject(args)) return valueWords(args)
  const told = toldArgument(args)
  if (told !== null) return valueWords(args[told] ?? '')
  return Object.entries(args)
    .map(([key, value]) => `${key}=${valueWords(value)}`)
    .join(' ')
    .slice(0, enough)
}

/** A value in the words of a person: commands as they are typed, changes by their files. */
function valueWords(value: Json): string {
  if (typeof value === 'string') return value.slice(0, enough)
  if (value === null) return ''
  if (!Array.isArray(value)) return JSON.stringify(value).slice(0, enough)
  if (value.every((each) => typeof each === 'string')) return commandWords(value).slice(0, enough)
  const paths = value.flatMap((each) => (isObject(each) && typeof each.path === 'string' ? each.path : []))
  return (paths.length > 0 ? paths.join(', ') : JSON.stringify(value)).slice(0, enough)
}

// A shell that is only there to run a line is left out.
function commandWords(words: readonly string[]): string {
  const [program = '', flag = '', line] = words
  const isShell = /(?:^|\/)(?:ba|z|da)?sh$/.test(program) && /^-l?c$/.test(flag)
  return isShell && line !== undefined && words.length === 3 ? line : words.join(' ')
}

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export interface ResultWords {
  readonly text: string
  readonly isBad: boolean
}

/** What came of it: `✓`, `✓ 12 lines`, `✗ exit 1`; `…` while nothing has. */
export function resultWords(result: Pick<ToolResultPart, 'output' | 'exitCode'> | undefined): ResultWords {
  if (!result) return { text: '…', isBad: false }
  const { output, exitCode } = result
  if (output === cutOffOutput) return { text: '✗ cut off', isBad: true }
  if (exitCode !== 0) return { text: isDenied(output) ? '✗ denied' : `✗ exit ${exitCode}`, isBad: true }
  const lines = countLines(output)
  return { text: lines > 1 ? `✓ ${lines} lines` : '✓', isBad: false }
}

/** How many lines there are; those that are empty at the end do not count. */
function countLines(text: string): number {
  const end = text.trimEnd().length
  if (end === 0) return 0
  let count = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
