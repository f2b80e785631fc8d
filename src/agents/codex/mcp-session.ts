import * as z from 'zod/mini'
import type { Json } from '../../tree/message.ts'
import type { Tool } from '../driver.ts'
import { callTool } from '../tool-call.ts'
import { self } from './self.ts'

const request = z.object({
  id: z.union([z.string(), z.number()]),
  method: z.string(),
  params: z.optional(z.record(z.string(), z.json())),
})

/** Answers one message of a client of the Model Context Protocol; null for those that want no answer. */
export async function answerMcp(message: unknown, tools: readonly Tool[]): Promise<Json | null> {
  const { data } = request.safeParse(message)
  if (!data) return null
  const reply = await replyTo(data.method, data.params ?? {}, tools)
  return { jsonrpc: '2.0', id: data.id, ...reply }
}

type Params = Readonly<Record<string, Json>>
type Reply =
  | { readonly result: Json }
  | { readonly error: { readonly code: number; readonly message: string } }

async function replyTo(method: string, params: Params, tools: readonly Tool[]): Promise<Reply> {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: params.protocolVersion ?? '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: self,
        },
      }
    case 'ping':
      return { result: {} }
    case 'tools/list':
      return { result: { tools: tools.map(describe) } }
    case 'tools/call':
      return call(params, tools)
    default:
      return { error: { code: -32601, message: `There is no ${method} here.` } }
  }
}

function describe({ name, description, input }: Tool): Json {
  const inputSchema = z.json().parse(JSON.parse(JSON.stringify(z.toJSONSchema(input))))
  return { name, description, inputSchema }
}

async function call(params: Params, tools: readonly Tool[]): Promise<Reply> {
  const tool = tools.find(({ name }) => name === params.name)
  if (!tool) return { error: { code: -32602, message: `There is no tool ${JSON.stringify(params.name)}.` } }
  const { output, exitCode } = await callTool(tool, params.arguments ?? {})
  return { result: { content: [{ type: 'text', text: output }], isError: exitCode !== 0 } }
}
