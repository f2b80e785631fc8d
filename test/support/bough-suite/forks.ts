import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ForkOptions } from '../../../src/bough.ts'
import { person } from '../../../src/workspace/testing/ground.ts'
import { until } from '../until.ts'
import { type OpenGround, refused, unknown } from './ground.ts'

const files = { 'a.txt': 'a\n' }

export const forks = (open: OpenGround) =>
  describe('a fork', () => {
    it('begins at the head, at a message, or before one, and has the line up to there', async () => {
      const { bough, session, turn } = await open()
      const id = await session()
      const first = await turn(id, 'one')
      const last = await turn(id, 'two')
      const line = await bough.messages(id)
      const made = async (options: ForkOptions) => {
        const fork = await bough.fork(id, { files: 'same', ...options })
        expect(fork).toMatchObject({ parentID: id, kind: 'branch', files: { mode: 'same' } })
        return { at: fork.forkPoint, line: await bough.messages(fork.id) }
      }
      expect(await made({})).toEqual({ at: last, line })
      expect(await made({ messageID: first })).toEqual({ at: first, line: line.slice(0, 2) })
      const before = await made({ messageID: first, before: true })
      expect(before).toEqual({ at: line[0]?.id, line: line.slice(0, 1) })
      expect(await made({ messageID: line[0]?.id ?? first, before: true })).toEqual({ at: null, line: [] })
    })

    it('has the title, agent and model that are named', async () => {
      const { bough, session, turn } = await open()
      const id = await session()
      await turn(id, 'one')
      expect(
        await bough.fork(id, { title: 'Mine', model: 'big', sandbox: 'on', files: 'same' }),
      ).toMatchObject({
        ...{ title: 'Mine', model: 'big', sandbox: 'on', agent: 'offline', context: { kind: 'native' } },
      })
    })

    it('is not made where something is wrong with it', async () => {
      const { bough, session, turn } = await open()
      const [id, other] = [await session(), await session()]
      await turn(id, 'one')
      const elsewhere = await turn(other, 'two')
      await refused(bough.fork(unknown.session), 'not_found')
      await refused(bough.fork(id, { messageID: unknown.message }), 'not_found')
      await refused(bough.fork(id, { messageID: elsewhere }), 'not_on_line')
      await refused(bough.fork(id, { before: true }), 'bad_input')
      await refused(bough.fork(id, { title: ' ' }), 'bad_input')
      await refused(bough.fork(id, { agent: 'nobody' }), 'agent_unknown')
      await refused(bough.fork(id, { agent: 'scripted', context: 'native' }), 'fork_unsupported')
      expect(await bough.children(id)).toEqual([])
    })

    it('at the head waits for nobody: it is refused while a turn runs, and made at an earlier message', async () => {
      const { bough, session, turn, agent } = await open()
      const id = await session()
      const first = await turn(id, 'one')
      const held = await bough.send(id, 'sleep 1')
      await agent.held(1)
      await refused(bough.fork(id, { files: 'same' }), 'session_busy')
      await refused(bough.previewFork(id), 'session_busy')
      expect((await bough.fork(id, { messageID: first, files: 'same' })).forkPoint).toBe(first)
      agent.release(1)
      await held.ended
    })

    it('is looked at before it is made, with the same answers', async () => {
      const { bough, session, turn } = await open({ files })
      const id = await session()
      const first = await turn(id, 'write a.txt: one')
      await turn(id, 'write a.txt: two')
      for (const options of [
        { messageID: first },
        { messageID: first, files: 'same' },
        { messageID: first, files: 'clean' },
        { files: 'worktree' },
        { agent: 'scripted', files: 'same' },
        { context: 'seed', files: 'same' },
        { messageID: first, files: 'restore' },
      ] satisfies readonly ForkOptions[]) {
        const preview = await bough.previewFork(id, { ...options, title: 'not asked for' })
        const forked = await bough.fork(id, options)
        // Where the new worktree is can only be told afterwards.
        const { notices: _, ...filesBefore } = preview.files
        expect(forked.files).toMatchObject(filesBefore)
        expect(forked.context).toEqual(preview.context)
        expect(await bough.forkContext(id, options)).toEqual(preview.context)
      }
      await refused(bough.previewFork(unknown.session), 'not_found')
      await refused(bough.previewFork(id, { messageID: unknown.message }), 'not_found')
      await refused(bough.forkContext(unknown.session), 'not_found')
      await refused(bough.forkContext(id, { agent: 'scripted', context: 'native' }), 'fork_unsupported')
    })

    it('to another agent is handed the line as a seed; any other has none', async () => {
      const { bough, session, turn, scripted } = await open()
      const id = await session()
      await turn(id, 'the soup is green')
      const fork = await bough.fork(id, { agent: 'scripted', files: 'same' })
      expect(fork).toMatchObject({ agent: 'scripted', context: { kind: 'seed', leftOut: null } })
      expect(await bough.seed(fork.id)).toMatchObject({
        sessionID: fork.id,
        state: 'sent',
        agent: 'scripted',
      })
      expect(scripted.told.join()).toContain('the soup is green')
      expect(await bough.seed(id)).toBeNull()
      await refused(bough.seed(unknown.session), 'not_found')
    })

    it('in a worktree tells what its set-up command prints', async () => {
      const { bough, session, turn } = await open({
        ...{ files, config: { permissions: { allow: ['run'] }, worktree: { setup: 'echo ready; pwd' } } },
      })
      const id = await session()
      await turn(id, 'write b.txt: b')
      let printed = ''
      const onSetUp = (text: string) => {
        printed += text
      }
      const fork = await bough.fork(id, { files: 'worktree', onSetUp })
      expect(printed).toBe(`ready\n${fork.directory}\n`)
      expect(fork.workspaceID).not.toBeNull()
      expect(readFileSync(join(fork.directory, 'b.txt'), 'utf8')).toBe('b\n')
    })

    it('whose set-up command fails is there all the same, and says so', async () => {
      const config = { permissions: { allow: ['run'] }, worktree: { setup: 'echo no; exit 3' } }
      const { bough, session, turn } = await open({ files, config })
      const id = await session()
      await turn(id, 'hello')
      const printed: string[] = []
      const onSetUp = (text: string) => void printed.push(text)
      const fork = await bough.fork(id, { files: 'worktree', onSetUp })
      expect(printed.join('')).toBe('no\n')
      expect(fork.files.notices.join()).toContain('failed with exit code 3')
    })

    it('that is given up while its worktree is set up leaves nothing', async () => {
      const config = { permissions: { allow: ['run'] }, worktree: { setup: 'pwd; exec sleep 600' } }
      const { bough, session, turn, directory } = await open({ files, config })
      const id = await session()
      await turn(id, 'hello')
      const stop = new AbortController()
      let worktree = ''
      const onSetUp = (text: string) => {
        worktree += text.trim()
        stop.abort(new Error('enough'))
      }
      const forking = bough.fork(id, { files: 'worktree', onSetUp, signal: stop.signal })
      await expect(forking).rejects.toThrow('enough')
      await until('the worktree to be gone', () => worktree !== '' && !existsSync(worktree))
      await until('git to have forgotten it', () => !person(directory, 'worktree', 'list').includes(worktree))
      await until('its branch to be gone', () => person(directory, 'branch').trim() === '* main')
      expect(await bough.children(id)).toEqual([])
    })

    it('that is given up before it begins is not made', async () => {
      const { bough, session, turn } = await open({ files })
      const id = await session()
      await turn(id, 'hello')
      const signal = AbortSignal.abort(new Error('enough'))
      await expect(bough.fork(id, { files: 'worktree', signal })).rejects.toThrow('enough')
      expect(await bough.children(id)).toEqual([])
    })
  })
