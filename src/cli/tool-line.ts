import { cutToCells } from '../tree/drawn/cells.ts'
import type { Paint } from '../tree/drawn/paint.ts'
import { toolName } from '../tree/drawn/tool-words.ts'
import type { Json, ToolCallPart, ToolResultPart } from '../tree/message.ts'
import { plainLine, plainText } from '../tree/plain-text.ts'

const widestCall = 100
const mostLines = 5

/** What an agent does, on one line: `→ write path=menu.md text=Soup`. */
export const showCall = (call: ToolCallPart, paint: Paint): string =>
  paint('dim', cutToCells(`→ ${toolName(call.name)} ${plainLine(showArgs(call.args))}`.trimEnd(), widestCall))

/** What came of it: its first lines, and whether it failed. */
export function showResult(result: ToolResultPart, paint: Paint): string {
  const lines = plainText(result.output).trimEnd().split('\n')
  const shown = lines.slice(0, mostLines).map((line) => cutToCells(line.replaceAll('\t', '  '), widestCall))
  if (lines.length > mostLines) shown.push(`… ${lines.length - mostLines} more lines`)
  const failed = result.exitCode === 0 ? '' : paint('red', `✗ exit ${result.exitCode} `)
  return `${paint('dim', '← ')}${failed}${shown.map((line) => paint('dim', line)).join('\n  ')}`
}

function showArgs(args: Json): string {
  if (args === null || typeof args !== 'object') return String(args ?? '')
  return Object.entries(args)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
}
