import type { Json } from '../../tree/message.ts'
import type { ToolEnd } from '../tool-call.ts'
import { typedCommand } from './command-line.ts'
import type { Item } from './protocol.ts'

export interface ToolUse {
  readonly name: string
  readonly args: Json
}

/** An item of a turn as a call of a tool; null for those that are none. */
export function toolUseOf(item: Item): ToolUse | null {
  switch (item.type) {
    case 'commandExecution':
      return { name: 'run', args: { command: typedCommand(item.command) } }
    case 'fileChange': {
      const changes = item.changes.map(({ path, kind, diff }) => ({
        path,
        kind: kind.type,
        ...(kind.move_path && { movedTo: kind.move_path }),
        diff,
      }))
      return { name: 'apply_patch', args: { changes } }
    }
    case 'mcpToolCall':
      return { name: `${item.server}.${item.tool}`, args: item.arguments }
    case 'webSearch':
      return { name: 'web_search', args: { query: item.query } }
    case 'imageView':
      return { name: 'view_image', args: { path: item.path } }
    case 'collabAgentToolCall':
      return { name: `agents.${item.tool}`, args: { prompt: item.prompt ?? '' } }
    default:
      return null
  }
}

/** What came of it. */
export function toolEndOf(item: Item): ToolEnd {
  switch (item.type) {
    case 'commandExecution':
      return {
        output: item.aggregatedOutput ?? (item.status === 'declined' ? 'It was declined.' : ''),
        exitCode: item.exitCode ?? exitCodeOf(item.status),
      }
    case 'fileChange': {
      const paths = item.changes.map(({ path, kind }) => `${kind.type} ${path}`).join('\n')
      const output = item.status === 'completed' ? paths : `The patch was not applied:\n${paths}`
      return { output, exitCode: exitCodeOf(item.status) }
    }
    case 'mcpToolCall':
      return {
        output: item.error?.message ?? item.result?.content.map(textOf).join('\n') ?? '',
        exitCode: exitCodeOf(item.status),
      }
    case 'collabAgentToolCall':
      return { output: item.status, exitCode: exitCodeOf(item.status) }
    default:
      return { output: '', exitCode: 0 }
  }
}

const exitCodeOf = (status: string): number => (status === 'completed' ? 0 : 1)

function textOf(content: Json): string {
  const isText = typeof content === 'object' && content !== null && 'text' in content
  return isText && typeof content.text === 'string' ? content.text : JSON.stringify(content)
}
