import { messageOf } from '../tree/error.ts'
import type { Json } from '../tree/message.ts'
import type { Tool } from './driver.ts'

export interface ToolEnd {
  readonly output: string
  readonly exitCode: number
}

/** Calls one of bough's tools with what an agent gave; never rejects: what goes wrong is told to the agent. */
export async function callTool(tool: Tool, given: Json): Promise<ToolEnd> {
  const { success, data, error } = tool.input.safeParse(given)
  if (!success) {
    const [issue] = error.issues
    const where = issue?.path.join('.') ?? ''
    return {
      output: `${where === '' ? '' : `${where}: `}${issue?.message ?? 'This is no valid input.'}`,
      exitCode: 1,
    }
  }
  try {
    return await tool.call(data as Json)
  } catch (cause) {
    return { output: messageOf(cause), exitCode: 1 }
  }
}
