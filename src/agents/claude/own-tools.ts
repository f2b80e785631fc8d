import type { McpServerConfig } from '@anthropic-ai/claude-agent-sdk'
import type { Json } from '../../tree/message.ts'
import type { Tool } from '../driver.ts'
import { callTool } from '../tool-call.ts'
import type { Sdk } from './find-claude.ts'

const serverName = 'bough'

/** Whether a tool is one of ours, as Claude names them. Another server may have our name. */
export const isOurs = (tool: string, tools: readonly Tool[]): boolean =>
  tools.some(({ name }) => tool === `mcp__${serverName}__${name}`)

/** Our tools, served to Claude from this process. */
export function serversOf(sdk: Sdk, tools: readonly Tool[]): Record<string, McpServerConfig> {
  if (tools.length === 0) return {}
  const server = sdk.createSdkMcpServer({
    name: serverName,
    // Otherwise Claude has to look for them first.
    alwaysLoad: true,
    tools: tools.map((tool) =>
      sdk.tool(tool.name, tool.description, tool.input.shape, async (given) => {
        const { output, exitCode } = await callTool(tool, given as Json)
        return { content: [{ type: 'text', text: output }], isError: exitCode !== 0 }
      }),
    ),
  })
  return { [serverName]: server }
}
