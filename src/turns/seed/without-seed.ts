import { textOf } from '../../tree/message.ts'
import type { NativeMessage } from '../../tree/native.ts'

/** Whether a text is a seed of bough's, or begins like one. */
export const isSeedText = (text: string): boolean => /^=== bough seed ses_\w+: begin ===/.test(text)

/** What an agent's own history has besides a seed and what was said to it: neither is ever stored. */
export function withoutSeed(messages: readonly NativeMessage[]): readonly NativeMessage[] {
  const { from, to } = seedIn(messages, isSeedText)
  return [...messages.slice(0, from), ...messages.slice(to)]
}

/** Where a seed and what was said to it stand in an agent's own history: first, up to the next prompt. Empty where there is none. */
export function seedIn(
  messages: readonly NativeMessage[],
  isSeed: (text: string) => boolean,
): { readonly from: number; readonly to: number } {
  const from = messages.findIndex(({ role }) => role === 'user')
  const seed = messages[from]
  if (!seed || !isSeed(textOf(seed.parts))) return { from: 0, to: 0 }
  const next = messages.findIndex(({ role }, i) => i > from && role === 'user')
  return { from, to: next < 0 ? messages.length : next }
}
