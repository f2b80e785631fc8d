import { z } from 'zod'
import {
  type Arrived,
  type Dialect,
  type FakeModel,
  newID,
  pieces,
  type Recorded,
  type Said,
  type Scripted,
  type ServerEvent,
  startFakeModel,
  tokensIn,
} from './server-sent.ts'

// A fake of OpenAI's Responses API, as far as Codex needs it.

interface OutputText {
  readonly type: 'output_text'
  readonly text: string
  readonly annotations: readonly never[]
}

interface Call {
  readonly id: string
  readonly call_id: string
  readonly name: string
}

interface Reasoning {
  readonly type: 'reasoning'
  readonly id: string
  readonly summary: readonly { readonly type: 'summary_text'; readonly text: string }[]
  readonly content: readonly never[]
  readonly encrypted_content: string
}

export type Item =
  | {
      readonly type: 'message'
      readonly id: string
      readonly role: 'assistant'
      readonly content: readonly [OutputText]
    }
  | (Call & { readonly type: 'function_call'; readonly arguments: string })
  | (Call & { readonly type: 'custom_tool_call'; readonly input: string })
  | Reasoning

export interface Usage {
  readonly input_tokens: number
  readonly input_tokens_details: { readonly cached_tokens: number }
  readonly output_tokens: number
  readonly output_tokens_details: { readonly reasoning_tokens: number }
  readonly total_tokens: number
}

export interface Reply extends Scripted {
  readonly items?: readonly Item[]
  readonly usage?: Partial<Usage>
}

const sentContent = z.looseObject({ type: z.string(), text: z.string().optional() })
const sentItem = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: z.union([z.string(), z.array(sentContent)]).nullish(),
  call_id: z.string().optional(),
  name: z.string().optional(),
  arguments: z.string().optional(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
})
const responsesRequest = z.looseObject({
  model: z.string(),
  stream: z.boolean().optional(),
  instructions: z.string().optional(),
  input: z.array(sentItem),
  tools: z.unknown().optional(),
})

export type SentItem = z.infer<typeof sentItem>
export type ResponsesRequest = z.infer<typeof responsesRequest>
export type RecordedRequest = Recorded<ResponsesRequest, Item, Usage>
export type FakeOpenAI = FakeModel<ResponsesRequest, Item, Usage>

/** Agents also ask for titles and summaries: answer by what is asked, not by its order. */
export async function startFakeOpenAI(
  respond: (request: ResponsesRequest) => Reply | Promise<Reply>,
): Promise<FakeOpenAI> {
  const fake = await startFakeModel(dialect, respond)
  return { ...fake, url: `${fake.url}/v1` }
}

export const msg = (text: string): Item => ({
  type: 'message',
  role: 'assistant',
  id: newID('msg'),
  content: [{ type: 'output_text', text, annotations: [] }],
})

export const call = (name: string, args: unknown): Item => ({
  type: 'function_call',
  id: newID('fc'),
  call_id: newID('call'),
  name,
  arguments: JSON.stringify(args),
})

export const customCall = (name: string, input: string): Item => ({
  type: 'custom_tool_call',
  id: newID('ctc'),
  call_id: newID('call'),
  name,
  input,
})

export const reasoning = (text: string): Item => ({
  type: 'reasoning',
  id: newID('rs'),
  summary: [{ type: 'summary_text', text }],
  content: [],
  encrypted_content: 'ZmFrZQ==',
})

/** Only what user, assistant and tools said, without what the harness put before it. */
export const plain = (input: readonly SentItem[]): string[] =>
  input.filter((item) => !isFromHarness(item)).map(inWords)

function isFromHarness({ role, content }: SentItem): boolean {
  if (role === 'developer' || role === 'system') return true
  const opening = typeof content === 'string' ? content : content?.[0]?.text
  return role === 'user' && /^\s*(<(?!bough>)[a-z_]+>|# AGENTS)/.test(opening ?? '')
}

function inWords(item: SentItem): string {
  if (item.role !== undefined) return `${item.role}: ${contentInWords(item.content)}`
  switch (item.type) {
    case 'function_call':
      return `call ${item.name} ${item.arguments}`
    case 'custom_tool_call':
      return `custom ${item.name} ${item.input}`
    case 'function_call_output':
    case 'custom_tool_call_output':
      return `output ${typeof item.output === 'string' ? item.output : JSON.stringify(item.output)}`
    default:
      return `<${item.type}>`
  }
}

const contentInWords = (content: SentItem['content']): string =>
  typeof content === 'string'
    ? content
    : (content ?? []).map(({ type, text }) => text ?? `<${type}>`).join('|')

const dialect: Dialect<ResponsesRequest, Reply, Item, Usage> = {
  asksModel: ({ method, path }) => method === 'POST' && path === '/v1/responses',
  aside,
  parse: (raw) => responsesRequest.parse(JSON.parse(raw)),
  refusal: (error) => ({ error }),
  said: ({ items = [msg('ok')], usage }, raw) => ({ parts: items, usage: usageOf(raw, usage) }),
  whole: completed,
  events: (body, said, chunk) => numbered(events(body, said, chunk)),
  isPiece: ({ type }) => type.endsWith('.delta'),
}

function aside({ path }: Arrived): { readonly status: number; readonly body: unknown } {
  if (path === '/v1/models') return { status: 200, body: { object: 'list', data: [], models: [] } }
  // A client that would rather have a websocket goes on without one after this.
  if (path === '/v1/responses') return { status: 426, body: dialect.refusal({ message: 'no websocket' }) }
  const why = { type: 'invalid_request_error', message: `the fake has no ${path}` }
  return { status: 404, body: dialect.refusal(why) }
}

function usageOf(raw: string, wanted: Partial<Usage> = {}): Usage {
  const { input_tokens = tokensIn(raw), output_tokens = 10 } = wanted
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens + output_tokens,
    ...wanted,
  }
}

function* numbered(all: Iterable<ServerEvent>): Generator<ServerEvent> {
  let sequence_number = 0
  for (const event of all) yield { ...event, sequence_number: sequence_number++ }
}

function* events(body: ResponsesRequest, said: Said<Item, Usage>, chunk: number): Generator<ServerEvent> {
  const response = envelope(body)
  yield { type: 'response.created', response }
  yield { type: 'response.in_progress', response }
  for (const [output_index, item] of said.parts.entries()) {
    const at = { item_id: item.id, output_index }
    yield { type: 'response.output_item.added', output_index, item: unfilled(item) }
    for (const event of filling(item, chunk)) yield { ...event, ...at }
    yield { type: 'response.output_item.done', output_index, item: { ...item, status: 'completed' } }
  }
  yield { type: 'response.completed', response: completed(body, said, response) }
}

const envelope = ({ model }: ResponsesRequest) => ({
  id: newID('resp'),
  object: 'response',
  created_at: Math.floor(Date.now() / 1000),
  model,
  status: 'in_progress',
  output: [],
  error: null,
})

function completed(body: ResponsesRequest, { parts, usage }: Said<Item, Usage>, begun = envelope(body)) {
  return { ...begun, status: 'completed', output: parts, usage }
}

function unfilled(item: Item): object {
  switch (item.type) {
    case 'message':
      return { ...item, status: 'in_progress', content: [] }
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' }
    case 'custom_tool_call':
      return { ...item, status: 'in_progress', input: '' }
    case 'reasoning':
      return item
  }
}

/** The events between an item's first and last one. */
function filling(item: Item, chunk: number): readonly ServerEvent[] {
  switch (item.type) {
    case 'message':
      return fillingText(item.content[0], chunk)
    case 'function_call':
      return [
        { type: 'response.function_call_arguments.delta', delta: item.arguments },
        { type: 'response.function_call_arguments.done', arguments: item.arguments },
      ]
    case 'custom_tool_call':
      return [
        { type: 'response.custom_tool_call_input.delta', delta: item.input },
        { type: 'response.custom_tool_call_input.done', input: item.input },
      ]
    case 'reasoning':
      return []
  }
}

function fillingText(part: OutputText, chunk: number): readonly ServerEvent[] {
  const content_index = 0
  const deltas = pieces(part.text, chunk).map((delta) => ({
    type: 'response.output_text.delta',
    content_index,
    delta,
  }))
  return [
    { type: 'response.content_part.added', content_index, part: { ...part, text: '' } },
    ...deltas,
    { type: 'response.output_text.done', content_index, text: part.text },
    { type: 'response.content_part.done', content_index, part },
  ]
}
