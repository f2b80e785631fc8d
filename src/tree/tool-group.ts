import { callsOf, type Message, resultsOf } from './message.ts'

// A tool group is an assistant message with tool calls and the tool messages with their results. An agent must
// never be given a call without its result, so a line may only begin where no call is open.

/** The calls among these messages that have no result among them. */
export function openCalls(messages: readonly Pick<Message, 'parts'>[]): ReadonlySet<string> {
  const open = new Set<string>()
  for (const { parts } of messages) {
    for (const call of callsOf(parts)) open.add(call.callID)
    for (const result of resultsOf(parts)) open.delete(result.callID)
  }
  return open
}

/** Whether a message can stand inside a tool group, so that its neighbours decide where the group ends. */
export const mayBeInGroup = (message: Message): boolean =>
  message.role === 'assistant' || message.role === 'tool'
