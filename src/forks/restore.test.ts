import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { turn as run } from '../../test/support/bough.ts'
import { lookInto } from '../../test/support/ground.ts'
import { newProject } from '../../test/support/project.ts'
import type { SessionID } from '../tree/ids.ts'
import { Snapshots } from '../turns/snapshots.ts'
import { filesIn, newDirectory, put } from '../workspace/testing/ground.ts'

const read = (...path: readonly string[]) => readFileSync(join(...path), 'utf8')

/** What it is refused with. */
const refusal = (doing: Promise<unknown>): Promise<unknown> =>
  doing.then(
    () => 'not refused',
    ({ code, message }) => ({ code, message }),
  )

describe('restoring a session’s files', () => {
  it('puts them back to a message in place, without a fork; undo takes it back', async () => {
    const { bough, root, sessionID, turn } = await newProject()
    const first = await turn('write a.txt: one', 'write b.txt: one')
    const then = filesIn(root)
    await turn('write a.txt: two', 'delete b.txt', 'write c.txt: two')
    const now = filesIn(root)
    const before = await bough.messages(sessionID)
    const restored = await bough.restore(sessionID, { messageID: first })
    expect(restored).toMatchObject({ root, left: [], notices: [], before: expect.stringMatching(/^snp_/) })
    expect(restored.changes).toEqual([
      { path: 'a.txt', change: 'changed' },
      { path: 'b.txt', change: 'added' },
      { path: 'c.txt', change: 'deleted' },
    ])
    expect(filesIn(root)).toEqual(then)
    expect(await bough.children(sessionID)).toEqual([])
    expect(await bough.messages(sessionID)).toEqual(before)
    await bough.undo(root)
    expect(filesIn(root)).toEqual(now)
  })

  it('puts them back to the head where no message is named', async () => {
    const { bough, root, sessionID, turn } = await newProject()
    await turn('write a.txt: one')
    await turn('write a.txt: two')
    put(root, { 'a.txt': 'spoilt\n' })
    await bough.restore(sessionID)
    expect(read(root, 'a.txt')).toBe('two\n')
    await bough.undo(root)
    expect(read(root, 'a.txt')).toBe('spoilt\n')
  })

  it('only tells what it would do, when that is asked for', async () => {
    const { bough, root, sessionID, turn } = await newProject()
    const first = await turn('write a.txt: one')
    await turn('write a.txt: two')
    const preview = await bough.restore(sessionID, { messageID: first, dryRun: true })
    expect(preview).toMatchObject({ root, changes: [{ path: 'a.txt', change: 'changed' }], before: null })
    expect(read(root, 'a.txt')).toBe('two\n')
    await expect(bough.undo(root)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('takes the last ones before a message where its own are gone, and says so', async () => {
    const { bough, home, root, sessionID, turn } = await newProject()
    await turn('write a.txt: one')
    const second = await turn('write a.txt: two')
    await turn('write a.txt: three')
    const store = await lookInto(home)
    const { snapshot } = (await store.messages.get(second)) ?? {}
    await store.transaction((tx) => tx.snapshots.free(snapshot ?? 'snp_'))
    const { notices } = await bough.restore(sessionID, { messageID: second })
    expect(notices?.join()).toContain('have been cleaned up since')
    expect(read(root, 'a.txt')).toBe('one\n')
  })

  it('goes on when a turn begins in another project meanwhile, and is refused when one begins in this', async () => {
    const { bough, root, sessionID, turn } = await newProject()
    const first = await turn('write a.txt: one')
    await turn('write a.txt: two')
    const elsewhere = await bough.create({ directory: await newDirectory('elsewhere') })
    const { keep } = Snapshots.prototype
    const saving = vi.spyOn(Snapshots.prototype, 'keep')
    onTestFinished(() => saving.mockRestore())
    const beginMeanwhile = (id: SessionID) =>
      saving.mockImplementationOnce(async function (this: Snapshots, ...what) {
        await bough.send(id, 'sleep 600')
        return keep.apply(this, what)
      })
    beginMeanwhile(elsewhere.id)
    await bough.restore(sessionID, { messageID: first })
    expect(read(root, 'a.txt')).toBe('one\n')
    beginMeanwhile(sessionID)
    expect(await refusal(bough.undo(root))).toMatchObject({
      code: 'session_busy',
      message: `A turn is running in ${root}. Wait for its end, or fork into a worktree (--files worktree).`,
    })
    expect(read(root, 'a.txt')).toBe('one\n')
  })

  it('is refused in the words in which a fork that restores is refused', async () => {
    const { bough, root, sessionID, turn } = await newProject()
    const both = async (messageID?: `msg_${string}`, id = sessionID) => {
      const at = messageID === undefined ? {} : { messageID }
      const refused = await refusal(bough.restore(id, at))
      expect(refused).toEqual(await refusal(bough.fork(id, { ...at, files: 'restore' })))
      return refused
    }
    expect(await both()).toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/No files are kept/),
    })
    const first = await turn('write a.txt: one')
    const other = await bough.create({ directory: root })
    await run(bough, other.id, 'write a.txt: two')
    expect(await both(first, other.id)).toMatchObject({ code: 'not_on_line' })
    expect(await both('msg_')).toMatchObject({ code: 'not_found' })
    expect(await both(undefined, 'ses_')).toMatchObject({ code: 'not_found' })

    const running = await bough.send(other.id, 'run sleep 600')
    for await (const event of running.events) if (event.type === 'tool-call') break
    expect(await both(undefined, other.id)).toMatchObject({ code: 'session_busy' })
    // Also one of another session, in the same files.
    expect(await both(first)).toMatchObject({ code: 'session_busy' })
    await bough.abort(other.id)
    expect(read(root, 'a.txt')).toBe('two\n')

    rmSync(root, { recursive: true })
    expect(await both(first)).toMatchObject({ code: 'directory_gone' })
  })
})
