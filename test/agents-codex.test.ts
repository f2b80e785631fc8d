import { expect, it } from 'vitest'
import { begin } from './support/agent-ground.ts'
import { turn } from './support/bough.ts'
import { describeAgent } from './support/describe-agent.ts'
import { realCodex } from './support/real-agents.ts'

describeAgent('codex', realCodex)

it('codex is not forked in the middle of a turn, where it cannot begin; nothing is made', async () => {
  const { bough, sessionID, say } = await begin(realCodex)
  await say('one')
  const messages = await turn(bough, sessionID, 'run echo hello')
  const result = messages.find(({ role }) => role === 'tool')
  for (const files of ['same', 'worktree'] as const) {
    const fork = bough.fork(sessionID, { files, ...(result && { messageID: result.id }) })
    await expect(fork).rejects.toMatchObject({
      code: 'fork_unsupported',
      message: expect.stringMatching(
        /^codex cannot begin at that message\. Fork at \w{6}, or at the end of a turn\.$/,
      ),
    })
  }
  expect(await bough.children(sessionID)).toEqual([])
})
