import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import {
  type Arrived,
  type Dialect,
  type FakeModel,
  newID,
  noWayOut,
  pieces,
  type Recorded,
  type Said,
  type Scripted,
  type ServerEvent,
  startFakeModel,
  tokensIn,
} from './server-sent.ts'

// A fake of Anthropic's Messages API, as far as Claude Code needs it.

export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }

export interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_input_tokens: number
  readonly cache_creation_input_tokens: number
}

export interface Reply extends Scripted {
  readonly content?: readonly Block[]
  readonly error?: { readonly type: string; readonly message: string }
  readonly usage?: Partial<Usage>
}

const sentBlock = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  /** Of a call. */
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  /** Of a call's result. */
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
  is_error: z.boolean().optional(),
})
const sentMessage = z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(sentBlock)]) })
const messagesRequest = z.looseObject({
  model: z.string(),
  stream: z.boolean().optional(),
  messages: z.array(sentMessage),
  system: z.unknown().optional(),
  tools: z.unknown().optional(),
})

export type SentBlock = z.infer<typeof sentBlock>
export type SentMessage = z.infer<typeof sentMessage>
export type MessagesRequest = z.infer<typeof messagesRequest>
export type RecordedRequest = Recorded<MessagesRequest, Block, Usage>
export type FakeAnthropic = FakeModel<MessagesRequest, Block, Usage>

/** Agents also ask for titles and summaries: answer by what is asked, not by its order. */
export const startFakeAnthropic = (
  respond: (request: MessagesRequest) => Reply | Promise<Reply>,
): Promise<FakeAnthropic> => startFakeModel(dialect, respond)

/** The environment in which Claude Code knows nothing but the fake, with a home of its own. */
export async function claudeHome(
  { url }: { readonly url: string },
  within = tmpdir(),
): Promise<NodeJS.ProcessEnv> {
  const root = await mkdtemp(join(within, 'claude-'))
  const folders = {
    HOME: join(root, 'home'),
    CLAUDE_CONFIG_DIR: join(root, 'config'),
    TMPDIR: join(root, 'tmp'),
  }
  for (const folder of Object.values(folders)) await mkdir(folder)
  return {
    ...folders,
    ...noWayOut(url),
    PATH: process.env.PATH,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '1',
  }
}

export const text = (t: string): Block => ({ type: 'text', text: t })

export const thinking = (t: string): Block => ({ type: 'thinking', thinking: t, signature: 'ZmFrZQ==' })

export const toolUse = (name: string, input: unknown, id = newID('toolu')): Block => ({
  type: 'tool_use',
  id,
  name,
  input,
})

/** The conversation without what the harness put into it. */
export const plain = (messages: readonly SentMessage[]): string[] =>
  messages
    .filter(({ role }) => role !== 'system')
    .map((message) => `${message.role}: ${ownBlocks(message).map(inWords).join('|')}`)

/** What the model is to answer: the last block that the harness did not put there. */
export function lastBlock({ messages }: MessagesRequest): SentBlock | null {
  const message = messages.findLast(({ role }) => role !== 'system')
  return (message && ownBlocks(message).at(-1)) ?? null
}

/** The prompt that the model is to answer, when it is not a tool's result. */
export function lastPrompt(request: MessagesRequest): string | null {
  const block = lastBlock(request)
  return block?.type === 'text' ? (block.text ?? null) : null
}

function ownBlocks({ content }: SentMessage): readonly SentBlock[] {
  const blocks: readonly SentBlock[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return blocks.filter((block) => !/^\s*<system-reminder>/.test(block.text ?? ''))
}

function inWords({ type, text, name, input, content }: SentBlock): string {
  switch (type) {
    case 'text':
      return text ?? ''
    case 'tool_use':
      return `<tool_use ${name} ${JSON.stringify(input)}>`
    case 'tool_result':
      return `<tool_result ${typeof content === 'string' ? content : JSON.stringify(content)}>`
    default:
      return `<${type}>`
  }
}

const dialect: Dialect<MessagesRequest, Reply, Block, Usage> = {
  asksModel: ({ method, path }) => method === 'POST' && path === '/v1/messages',
  aside,
  parse: (raw) => messagesRequest.parse(JSON.parse(raw)),
  refusal: ({ type = 'api_error', message }) => ({ type: 'error', error: { type, message } }),
  said: ({ content = [text('ok')], usage }, raw) => ({
    parts: content,
    usage: {
      input_tokens: tokensIn(raw),
      output_tokens: 10,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      ...usage,
    },
  }),
  whole: (body, said) => ({
    ...envelope(body, said.usage),
    content: said.parts,
    stop_reason: reasonToStop(said),
  }),
  events,
  isPiece: ({ type }) => type === 'content_block_delta',
}

function aside({ method, path, raw }: Arrived): { readonly status: number; readonly body: unknown } {
  if (method === 'HEAD') return { status: 200, body: {} }
  if (path === '/v1/messages/count_tokens') return { status: 200, body: { input_tokens: tokensIn(raw) } }
  if (path === '/v1/models') {
    return { status: 200, body: { data: [], has_more: false, first_id: null, last_id: null } }
  }
  const why = { type: 'not_found_error', message: `the fake has no ${path}` }
  return { status: 404, body: dialect.refusal(why) }
}

function* events(body: MessagesRequest, said: Said<Block, Usage>, chunk: number): Generator<ServerEvent> {
  const { parts, usage } = said
  yield { type: 'message_start', message: envelope(body, { ...usage, output_tokens: 1 }) }
  yield { type: 'ping' }
  for (const [index, block] of parts.entries()) {
    yield { type: 'content_block_start', index, content_block: unfilled(block) }
    for (const delta of deltas(block, chunk)) yield { type: 'content_block_delta', index, delta }
    yield { type: 'content_block_stop', index }
  }
  yield { type: 'message_delta', delta: { stop_reason: reasonToStop(said), stop_sequence: null }, usage }
  yield { type: 'message_stop' }
}

const envelope = ({ model }: MessagesRequest, usage: Usage) => ({
  id: newID('msg'),
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { ...usage, service_tier: 'standard' },
})

const reasonToStop = ({ parts }: Said<Block, Usage>): string =>
  parts.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'

function unfilled(block: Block): Block {
  switch (block.type) {
    case 'text':
      return { ...block, text: '' }
    case 'thinking':
      return { ...block, thinking: '', signature: '' }
    case 'tool_use':
      return { ...block, input: {} }
  }
}

function deltas(block: Block, chunk: number): readonly object[] {
  switch (block.type) {
    case 'text':
      return pieces(block.text, chunk).map((piece) => ({ type: 'text_delta', text: piece }))
    case 'thinking':
      return [
        { type: 'thinking_delta', thinking: block.thinking },
        { type: 'signature_delta', signature: block.signature },
      ]
    case 'tool_use':
      return [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }]
  }
}
