import { expect } from 'vitest'
import { split } from '../../../src/discord/stream/split.ts'
import type { Message } from '../../../src/tree/message.ts'
import { until } from '../until.ts'
import type { BotGround } from './bot-ground.ts'

/** Waits until what was written to main is answered: each once, in its order, and what is shown is all that the agent said. */
export async function answersAll(bot: BotGround, written: readonly string[]): Promise<void> {
  const { ground } = bot
  const main = await ground.main()
  const answered = async () => {
    const answers = answersOf(await ground.messages(main))
    const isWhole = answers.length >= written.length && answers.every(({ length }) => length > 0)
    return isWhole && same(bot.words, answers.flat())
  }
  await until('every answer to be shown', answered, 30_000).catch(async (cause) => {
    expect(bot.words, bot.log.join('\n')).toEqual(answersOf(await ground.messages(main)).flat())
    throw cause
  })
  expect(await ground.prompts(main)).toEqual(written)
}

/** Waits until no message says that it waits. */
export async function noMarks(bot: BotGround): Promise<void> {
  await until('no signs on messages', () => bot.marked.length === 0)
}

/** What a conversation should look like: for each message of the owner, the messages that answer it. */
function answersOf(line: readonly Message[]): readonly (readonly string[])[] {
  const answers: string[][] = []
  for (const { role, text } of line)
    if (role === 'user') answers.push([])
    else if (role === 'assistant' && text.trim() !== '') answers.at(-1)?.push(text)
  return answers.map((said) => split(said.join('\n\n')))
}

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((text, i) => text === b[i])
