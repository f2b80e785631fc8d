import { describe, expect, it, vi } from 'vitest'
import { newProject } from '../../test/support/project.ts'
import { filesIn } from '../workspace/testing/ground.ts'

describe('a fork that is given up', () => {
  it.each(['auto', 'worktree', 'clean', 'same', 'restore'] as const)('leaves nothing: %s', async (files) => {
    const { bough, root, sessionID, turn } = await newProject()
    const messageID = await turn('write a.txt: one')
    await turn('write a.txt: two')
    const now = filesIn(root)
    const forking = bough.fork(sessionID, { messageID, files, signal: AbortSignal.abort() })
    await expect(forking).rejects.toThrow('aborted')
    expect(await bough.children(sessionID)).toEqual([])
    expect(filesIn(root)).toEqual(now)
    await expect(bough.undo(root)).rejects.toThrow('nothing to undo')
  })

  it('puts no file back when that is before the first has changed', async () => {
    const { bough, root, sessionID, turn } = await newProject()
    const messageID = await turn('write a.txt: one')
    await turn('write a.txt: two')
    const now = filesIn(root)
    const giveUp = new AbortController()
    const { signal } = giveUp
    // Right after somebody has looked for the first time.
    vi.spyOn(signal, 'throwIfAborted').mockImplementationOnce(() => giveUp.abort())
    await expect(bough.fork(sessionID, { messageID, files: 'restore', signal })).rejects.toThrow('aborted')
    expect(await bough.children(sessionID)).toEqual([])
    expect(filesIn(root)).toEqual(now)
    await expect(bough.undo(root)).rejects.toThrow('nothing to undo')
  })
})
