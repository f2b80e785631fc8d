import { expect, it } from 'vitest'
import { BotGround } from './support/discord/bot-ground.ts'

it('a message goes to main, and the reply is streamed', async () => {
  const bot = await BotGround.open()
  await bot.asks('herons', /This is turn 1 .*“herons”/)
  expect(await bot.ground.prompts(await bot.ground.main())).toEqual(['herons'])
})
