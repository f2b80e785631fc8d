import { expect, it } from 'vitest'
import { channelClaude, channelCodex, openGround } from './support/comeback.ts'
import { describeComeback } from './support/describe-comeback.ts'
import { variants } from './support/size.ts'
import { until } from './support/until.ts'

for (const [name, channel] of variants([
  ['claude', channelClaude],
  ['codex', channelCodex],
] as const))
  describeComeback(name, channel)

it('what a run of claude may not do comes back to the model as an error, and what it may does not', async () => {
  const { say, run, newest } = await openGround(channelClaude)
  await say('alpha')
  const results = () => newest().messages.findLast((message) => message.includes('tool_result'))
  await run('run touch made.txt', ['read'])
  expect(results()).toContain('"is_error":true')
  await run('run touch made.txt', ['run'])
  expect(results()).not.toContain('"is_error":true')
  await run('use exit_fork')
  expect(results()).toContain('"is_error":true')
})

it('claude goes on by itself, without a seed, also where all that the person said begins with a tag', async () => {
  const { bough, say, newest, mainID, connections } = await openGround(channelClaude, { idleAfter: 1 })
  await say('<div> is what I see')
  const before = newest()
  await until('the agent to be let go', () => connections.open === 0)
  await say('<p> too')
  expect(await bough.seed(await mainID())).toBeNull()
  expect(newest().messages.slice(0, before.messages.length)).toEqual(before.messages)
})
