import type { MessageParam } from '@anthropic-ai/sdk/resources'
import { isDenied } from '../../tree/stand-in-output.ts'
import type { Usage } from '../../tree/usage.ts'

/** As the model API tells it; what is absent has not changed. */
export interface ApiUsage {
  readonly input_tokens?: number | null | undefined
  readonly output_tokens?: number | null | undefined
  readonly cache_read_input_tokens?: number | null | undefined
  readonly cache_creation_input_tokens?: number | null | undefined
}

export const usageAfter = (before: Usage, told: ApiUsage): Usage => ({
  ...before,
  inputTokens: told.input_tokens ?? before.inputTokens,
  outputTokens: told.output_tokens ?? before.outputTokens,
  cacheReadTokens: told.cache_read_input_tokens ?? before.cacheReadTokens,
  cacheWriteTokens: told.cache_creation_input_tokens ?? before.cacheWriteTokens,
})

/** What a tool gave back, as the model API has it. */
interface Outcome {
  readonly content?:
    | string
    | readonly { readonly type: string; readonly text?: string | undefined }[]
    | undefined
  readonly is_error?: boolean | undefined
}

export type ToolResult = Extract<Exclude<MessageParam['content'], string>[number], { type: 'tool_result' }>

/** The results of tools in an entry of the history. */
export const resultsIn = (content: MessageParam['content']): readonly ToolResult[] =>
  typeof content === 'string' ? [] : content.flatMap((block) => (block.type === 'tool_result' ? [block] : []))

/** What to show of it. Commands that fail begin with their exit code. */
export function outcomeOf({ content, is_error: isError }: Outcome): {
  readonly output: string
  readonly exitCode: number
} {
  const text =
    typeof content === 'string'
      ? content
      : (content ?? []).map((part) => part.text ?? `[${part.type}]`).join('\n')
  const output = isError ? withoutHookName(text) : text
  const code = isError ? Number(/^Exit code (\d+)/.exec(output)?.[1] ?? 1) : 0
  return { output, exitCode: code }
}

/** Claude puts the name of the hook before the reason of a denial. */
function withoutHookName(text: string): string {
  const reason = text.replace(/^PreToolUse:\S+ hook error: /, '')
  return isDenied(reason) ? reason : text
}
