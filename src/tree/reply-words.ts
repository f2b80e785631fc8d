import type { Message } from './message.ts'

/**
 * What an agent said in messages. A front end that has shown a turn knows its reply by these words when it is sent once more: so
 * nobody may put them together in another way.
 */
export const replyWords = (messages: readonly Message[]): string =>
  messages
    .filter(({ role, text }) => role === 'assistant' && text.trim() !== '')
    .map(({ text }) => text)
    .join('\n\n')
