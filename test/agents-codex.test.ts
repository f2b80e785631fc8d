import { expect, it } from 'vitest'
import { begin } from './support/agent-ground.ts'
import { turn } from './support/bough.ts'
import { describeAgent } from './support/describe-agent.ts'
import { realCodex } from './support/real-agents.ts'
import { until } from './support/until.ts'

describeAgent('codex', realCodex)

it('codex is not forked natively in the middle of a turn, where it cannot begin; nothing is made', async () => {
  const { bough, sessionID, say } = await begin(realCodex)
  await say('one')
  const messages = await turn(bough, sessionID, 'run echo hello')
  const result = messages.find(({ role }) => role === 'tool')
  for (const files of ['same', 'worktree'] as const) {
    const context = 'native'
    const fork = bough.fork(sessionID, { files, context, ...(result && { messageID: result.id }) })
    await expect(fork).rejects.toMatchObject({
      code: 'fork_unsupported',
      message: expect.stringMatching(
        /^codex cannot begin at that message by itself\. Fork at \w{6}, or at the end of a turn\.$/,
      ),
    })
  }
  expect(await bough.children(sessionID)).toEqual([])
})

it('a session of codex that is deleted elsewhere ends alone: others have the same process', async () => {
  const { agent, bough, root, sessionID, other } = await begin(realCodex)
  const doomed = await bough.create({ agent: 'codex', directory: root })
  const goesOn = bough.send(sessionID, 'slow 100')
  const ends = await bough.send(doomed.id, 'slow 500')
  await until('both to be asked', () => agent.conversations().length === 2)
  await other('rm', '--yes', doomed.id)
  expect(await Array.fromAsync(ends.events).then((events) => events.at(-1))).toMatchObject({
    end: { outcome: 'interrupted', reason: 'You stopped it.' },
  })
  expect(await Array.fromAsync((await goesOn).events).then((events) => events.at(-1))).toMatchObject({
    end: { outcome: 'finished' },
  })
})
