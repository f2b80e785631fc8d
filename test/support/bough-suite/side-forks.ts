import { describe, expect, it } from 'vitest'
import type { Bough } from '../../../src/bough.ts'
import type { SessionID } from '../../../src/tree/ids.ts'
import type { SideFork } from '../../../src/tree/side-fork.ts'
import { until } from '../until.ts'
import { type OpenGround, refused, unknown } from './ground.ts'
import { openTalk } from './talk.ts'

export const sideForks = (open: OpenGround) =>
  describe('a fork that comes back', () => {
    it('runs beside main, and is told of while it runs and when it has ended', async () => {
      const ground = await open()
      const { bough, agent } = ground
      const { channelID, mainID } = await openTalk(ground)
      await bough.keepTime()
      const options = { model: 'small', sandbox: 'on' as const, allowedTools: ['read'], timeout: 5 }
      const started = await bough.runBackground(channelID, 'sleep 1', options)
      expect(started).toMatchObject({
        kind: 'background',
        origin: 'person',
        prompt: 'sleep 1',
        state: 'open',
      })
      expect(started).toMatchObject({ timeout: 300_000, allowedTools: ['read'], channelID })
      await agent.held(1)
      expect(await bough.session(started.sessionID)).toMatchObject({
        parentID: mainID,
        model: 'small',
        sandbox: 'on',
      })
      expect(await bough.sideForks({ state: 'open' })).toHaveLength(1)
      expect(await bough.pending()).toBe(1)
      agent.release(1)
      const ended = await endOf(bough, started.sessionID)
      expect(ended).toMatchObject({ outcome: 'finished' })
      const second = await bough.runBackground(mainID, 'look')
      await endOf(bough, second.sessionID)
      const ids = (forks: readonly SideFork[]) => forks.map(({ sessionID }) => sessionID)
      expect(ids(await bough.sideForks())).toEqual([second.sessionID, started.sessionID])
      expect(ids(await bough.sideForks({ channelID, limit: 1, state: 'ended' }))).toEqual([second.sessionID])
      expect(await bough.sideForks({ channelID: unknown.channel })).toEqual([])
      expect(await bough.sideFork(mainID)).toBeNull()
      expect(await bough.pending()).toBe(0)
    })

    it('is not begun without a prompt, without time, for an agent or in a place that is not there', async () => {
      const ground = await open()
      const { bough } = ground
      const { channelID } = await openTalk(ground)
      await refused(bough.runBackground(channelID, ' '), 'bad_input')
      await refused(bough.runBackground(channelID, 'look', { timeout: 0 }), 'bad_input')
      await refused(bough.runBackground(channelID, 'look', { agent: 'nobody' }), 'agent_unknown')
      await refused(bough.runBackground(unknown.channel, 'look'), 'not_found')
      await refused(bough.runBackground(unknown.session, 'look'), 'not_found')
      expect(await bough.sideForks()).toEqual([])
    })

    it('is saved, reported or discarded by whoever ends it', async () => {
      const ground = await open()
      const { bough } = ground
      const { channelID, mainID, does, openFork, say } = await openTalk(ground)
      await say('hello')
      await does({ kind: 'fork' })
      const first = await openFork()
      await say('write nest.txt: sticks')
      await refused(bough.putBack(first), 'fork_open')
      const discarded = await bough.exit(first, { action: 'discard', files: 'keep' })
      expect(discarded).toMatchObject({
        outcome: 'discarded',
        fork: { state: 'ended' },
        words: expect.any(String),
        files: { changes: [{ path: 'nest.txt', change: 'added' }] },
      })
      const changes = [{ path: 'nest.txt', change: 'deleted' }]
      expect(await bough.putBack(first, { dryRun: true })).toMatchObject({ changes, before: null })
      expect(await bough.putBack(first)).toMatchObject({ changes })
      await refused(bough.putBack(mainID), 'bad_input')
      await does({ kind: 'fork' })
      expect(await bough.exit(await openFork(), { action: 'report', text: 'Herons came.' })).toMatchObject({
        ...{ outcome: 'reported' },
      })
      await does({ kind: 'fork' })
      const saved = await openFork()
      await say('herons')
      expect(await bough.exit(saved, { action: 'save' })).toMatchObject({ outcome: 'saved' })
      expect((await bough.channel(channelID)).mainID).toBe(saved)
      await refused(bough.exit(saved, { action: 'save' }), 'fork_ended')
      await refused(bough.exit(mainID, { action: 'save' }), 'bad_input')
      await refused(bough.exit(unknown.session, { action: 'save' }), 'not_found')
      await does({ kind: 'fork' })
      await refused(bough.exit(await openFork(), { action: 'report', text: ' ' }), 'bad_input')
    })

    it('reports, and main is told once; or it is forgotten before', async () => {
      const ground = await open()
      const { bough } = ground
      const { channelID, does, openFork, say, mainID } = await openTalk(ground)
      const report = async (text: string) => {
        await does({ kind: 'fork' })
        await bough.exit(await openFork(), { action: 'report', text })
      }
      await report('Herons came.')
      expect(await bough.updates()).toMatchObject([{ text: 'Herons came.', channelID, messageID: null }])
      await say('hello')
      expect(JSON.stringify((await bough.messages(mainID))[0]?.parts)).toContain('Herons came.')
      expect(await bough.updates(channelID)).toEqual([])
      await report('They left.')
      await report('They came again.')
      const [first, ...others] = await bough.updates(channelID)
      expect(others).toHaveLength(1)
      await report('They stay.')
      expect(await bough.updates(unknown.channel)).toEqual([])
      expect(await bough.clearUpdates({ channelID: unknown.channel })).toBe(0)
      expect(await bough.clearUpdates({ channelID, upTo: first?.id ?? 'upd_' })).toBe(1)
      expect(await bough.clearUpdates({ channelID })).toBe(2)
      expect(await bough.clearUpdates()).toBe(0)
    })

    it('in the background is ended by whoever asks for that', async () => {
      const ground = await open()
      const { bough, agent } = ground
      const { channelID } = await openTalk(ground)
      await bough.keepTime()
      const { sessionID } = await bough.runBackground(channelID, 'sleep 1')
      await agent.held(1)
      expect(await bough.exit(sessionID, { action: 'report', text: 'Enough.' })).toMatchObject({
        ...{ outcome: 'reported', fork: { sessionID } },
      })
      expect((await bough.updates()).map(({ text }) => text)).toEqual(['Enough.'])
      await refused(bough.exit(sessionID, { action: 'discard' }), 'fork_ended')
    })
  })

const endOf = (bough: Bough, id: SessionID): Promise<SideFork> =>
  until(`the end of ${id}`, async () => {
    const fork = await bough.sideFork(id)
    return fork?.state === 'ended' && fork
  })
