import { text } from 'node:stream/consumers'
import type { Context } from './context.ts'
import { UsageError } from './usage-error.ts'

/** The prompt that was given on the command line, or on stdin where `-` stands for it. */
export async function readPrompt({ stdin }: Context, given: string): Promise<string> {
  const prompt = given === '-' ? (await text(stdin)).replace(/\r?\n$/, '') : given
  if (prompt.trim() === '')
    throw new UsageError('The text is empty. Say something, or "-" to read it from stdin.')
  return prompt
}
