import { callsOf, type Message, type Part, resultsOf, type ToolCallPart } from './message.ts'

// A tool group is an assistant message with tool calls and the tool messages with their results. An agent must
// never be given a call without its result, so a line may only begin where no call is open.

/** The calls that are open after `parts`, when those in `open` were before. */
export function openCallsAfter(
  open: readonly ToolCallPart[],
  parts: readonly Part[],
): readonly ToolCallPart[] {
  const answered = new Set(resultsOf(parts).map((result) => result.callID))
  return [...open, ...callsOf(parts)].filter((call) => !answered.has(call.callID))
}

/** Whether a message can stand inside a tool group, so that its neighbours decide where the group ends. */
export const mayBeInGroup = (message: Message): boolean =>
  message.role === 'assistant' || message.role === 'tool'
