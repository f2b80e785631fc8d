import type {
  SDKAssistantMessage,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKResultMessage,
  SDKUserMessage,
} from '@anthropic-ai/claude-agent-sdk'
import type { Json } from '../../tree/message.ts'
import { noUsage, type Usage } from '../../tree/usage.ts'
import type { AgentEvent } from '../driver.ts'
import type { CostMeter } from './cost-meter.ts'
import { outcomeOf, resultsIn, usageAfter } from './entries.ts'

// What Claude tells of a turn, as our events. An answer of the model comes as pieces that stream, then, block by block, as
// entries of its history; results of tools are entries too. So a message goes:
//
//   assistant: begun ──▶ its blocks ──▶ stopped for tools: finished · stopped for good: held until the cost is known
//   tool:      its results ──▶ finished when the next answer begins, or the turn ends
//
// The cost is told once, for the whole turn: it is booked on the answer that ends it.

type Finished = Extract<AgentEvent, { type: 'message-finished' }>

interface Answer {
  usage: Usage
  state: 'streams' | 'stopped' | 'aborted'
  isForTools: boolean
  entry: string | null
}

export class Transcript {
  readonly #costs: CostMeter
  /** The last entry of the native history. */
  #entry: string | undefined
  /** The answer that streams, or is held. */
  #answer: Answer | null = null
  /** The entry of the last result of a tool that came since. */
  #result: string | null = null
  /** Names of tools by call: their results do not say. */
  readonly #tools = new Map<string, string>()
  /** The words of an error that Claude put into its history in place of an answer. */
  #failure: string | null = null

  constructor(costs: CostMeter) {
    this.#costs = costs
  }

  *take(message: SDKMessage): Generator<AgentEvent> {
    switch (message.type) {
      case 'stream_event':
        if (message.parent_tool_use_id === null) yield* this.#takePiece(message)
        return
      case 'assistant':
        if (message.parent_tool_use_id === null) yield* this.#takeAnswer(message)
        return
      case 'user':
        if (message.parent_tool_use_id === null) yield* this.#takeUser(message)
        return
      case 'system':
        if (message.subtype === 'api_retry') {
          const status = message.error_status === null ? 'gave no answer' : `answered ${message.error_status}`
          const wait = Math.ceil(message.retry_delay_ms / 1000)
          yield {
            type: 'notice',
            text: `The model API ${status}. Trying again in ${wait} s (${message.attempt} of ${message.max_retries}).`,
          }
        }
        return
      case 'result':
        yield* this.#takeResult(message)
    }
  }

  /** What was being said when the agent went away. */
  *breakOff(): Generator<AgentEvent> {
    yield* this.#finishAnswer()
    yield* this.#finishResults()
  }

  *#takePiece({ event }: SDKPartialAssistantMessage): Generator<AgentEvent> {
    switch (event.type) {
      case 'message_start':
        yield* this.#finishResults()
        // One that needed no tool, and was not the last.
        yield* this.#finishAnswer()
        this.#answer = {
          usage: usageAfter(noUsage, event.message.usage),
          state: 'streams',
          isForTools: false,
          entry: null,
        }
        return
      case 'content_block_delta':
        if (event.delta.type === 'text_delta') yield { type: 'text', text: event.delta.text }
        if (event.delta.type === 'thinking_delta') yield { type: 'reasoning', text: event.delta.thinking }
        return
      case 'message_delta':
        if (!this.#answer) return
        this.#answer.usage = usageAfter(this.#answer.usage, event.usage)
        this.#answer.isForTools = event.delta.stop_reason === 'tool_use'
        return
      case 'message_stop':
        if (!this.#answer) return
        if (this.#answer.state === 'streams') this.#answer.state = 'stopped'
        if (this.#answer.isForTools) yield* this.#finishAnswer()
    }
  }

  *#takeAnswer({ message, uuid, error, aborted }: SDKAssistantMessage): Generator<AgentEvent> {
    this.#entry = uuid
    if (this.#answer) {
      this.#answer.entry = uuid
      if (aborted) this.#answer.state = 'aborted'
    }
    if (error !== undefined) {
      const words = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
      this.#failure = error === 'authentication_failed' ? signInWords(words) : words
      return
    }
    for (const block of message.content) {
      if (block.type !== 'tool_use') continue
      this.#tools.set(block.id, block.name)
      yield { type: 'tool-call', callID: block.id, name: block.name, args: block.input as Json }
    }
  }

  *#takeUser({ message, uuid }: SDKUserMessage): Generator<AgentEvent> {
    if (uuid) this.#entry = uuid
    for (const block of resultsIn(message.content)) {
      // An answer that was cut off while its tools were called.
      yield* this.#finishAnswer()
      this.#result = uuid ?? null
      const name = this.#tools.get(block.tool_use_id) ?? 'tool'
      yield { type: 'tool-result', callID: block.tool_use_id, name, ...outcomeOf(block) }
    }
  }

  *#takeResult(result: SDKResultMessage): Generator<AgentEvent> {
    const cost = this.#costs.take(result)
    const isCutOff =
      result.terminal_reason === 'aborted_streaming' || result.terminal_reason === 'aborted_tools'
    const isBooked = this.#answer !== null
    yield* this.#finishResults()
    yield* this.#finishAnswer(cost)
    const atTheEnd = {
      ...(this.#entry !== undefined && { nativeID: this.#entry }),
      ...(!isBooked && cost > 0 && { usage: { ...noUsage, costUSD: cost } }),
    }
    if (isCutOff) yield { type: 'turn-finished', reason: 'interrupted', ...atTheEnd }
    else if (result.subtype === 'success' && !result.is_error)
      yield { type: 'turn-finished', reason: 'done', ...atTheEnd }
    else yield { type: 'error', message: this.#whyFailed(result), ...atTheEnd }
  }

  *#finishAnswer(cost = 0): Generator<Finished> {
    const answer = this.#answer
    if (!answer) return
    this.#answer = null
    yield {
      type: 'message-finished',
      usage: { ...answer.usage, costUSD: cost },
      ...(answer.entry !== null && { nativeID: answer.entry }),
      ...(answer.state !== 'stopped' && { interrupted: true }),
    }
  }

  *#finishResults(): Generator<Finished> {
    const nativeID = this.#result
    if (nativeID === null) return
    this.#result = null
    yield { type: 'message-finished', nativeID }
  }

  #whyFailed(result: SDKResultMessage): string {
    const words =
      this.#failure ?? (result.subtype === 'success' ? result.result : result.errors.join('\n').trim())
    return words || `Claude could not finish (${result.terminal_reason ?? result.subtype}).`
  }
}

/** Its own words name a command of its terminal UI, which bough does not have. */
const signInWords = (words: string): string =>
  `${words.replace(/[\s·.]*Please run \/login[\s·.]*/, ' · ').replace(/^[ ·]+|[ ·.]+$/g, '')}. Sign in with "claude auth login"; "bough doctor" says where that program is.`
