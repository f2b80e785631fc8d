import { textOf } from '../../tree/message.ts'
import type { NativeMessage } from '../../tree/native.ts'

/** Whether a text is a seed of bough's, or begins like one. */
export const isSeedText = (text: string): boolean => /^=== bough seed ses_\w+: begin ===/.test(text)

/** What an agent's own history has besides a seed and what was said to it: neither is ever stored. */
export function withoutSeed(messages: readonly NativeMessage[]): readonly NativeMessage[] {
  const first = messages.findIndex(({ role }) => role === 'user')
  const seed = messages[first]
  if (!seed || !isSeedText(textOf(seed.parts))) return messages
  const next = messages.findIndex(({ role }, i) => i > first && role === 'user')
  return [...messages.slice(0, first), ...(next < 0 ? [] : messages.slice(next))]
}
