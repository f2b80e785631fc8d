import { describe, expect, it } from 'vitest'
import type { Bough } from '../../../src/bough.ts'
import type { Reset, TreeEvent } from '../../../src/tree/event.ts'
import { until } from '../until.ts'
import { type OpenGround, refused, unknown } from './ground.ts'
import { openTalk } from './talk.ts'

export const watching = (open: OpenGround) => {
  describe('events', () => {
    it('tell all that changes, in any process, without a gap', async () => {
      const { bough, session, turn, another } = await open()
      const stop = new AbortController()
      const seen: (TreeEvent | Reset)[] = []
      const reading = (async () => {
        for await (const event of bough.events({ after: 0, signal: stop.signal })) seen.push(event)
      })()
      const id = await session('One')
      await turn(id, 'hello')
      const elsewhere = await another()
      await elsewhere.change(id, { title: 'Two' })
      const last = await bough.create({ directory: (await bough.session(id)).directory })
      await until('the last event', () =>
        seen.some((event) => 'sessionID' in event && event.sessionID === last.id),
      )
      stop.abort()
      await reading
      expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, i) => i + 1))
      const kinds = seen.map(({ kind }) => kind)
      expect(kinds[0]).toBe('session.created')
      expect(kinds).toEqual(
        expect.arrayContaining(['turn.started', 'message.added', 'turn.ended', 'session.updated']),
      )
      expect(await take(bough, 2, 3)).toEqual(seen.slice(2, 5))
    })

    it('of forks that come back, and of mains, name their channel', async () => {
      const ground = await open()
      const { bough } = ground
      const { channelID, does, openFork } = await openTalk(ground)
      await does({ kind: 'fork' })
      const forkID = await openFork()
      await bough.exit(forkID, { action: 'save' })
      await bough.create({ directory: ground.directory, title: 'The last' })
      const stop = new AbortController()
      const named: unknown[] = []
      for await (const event of bough.events({ after: 0, signal: stop.signal })) {
        if (event.kind.startsWith('fork.') || event.kind === 'main.moved') named.push(event)
        if (event.kind === 'session.created' && event.sessionID > forkID) break
      }
      stop.abort()
      expect(named).toMatchObject(
        ['fork.entered', 'fork.ended', 'main.moved'].map((kind) => ({
          kind,
          sessionID: forkID,
          subjectID: channelID,
        })),
      )
    })

    it('of a number that is not there yet, or no longer, begin with a reset', async () => {
      const { bough, session } = await open()
      await session()
      const [first] = await take(bough, Number.MAX_SAFE_INTEGER, 1)
      expect(first).toEqual({ kind: 'reset', seq: expect.any(Number) })
    })

    it('come from now on where no number is named, and end when they are given up', async () => {
      const { bough, session } = await open()
      const before = await session()
      const stop = new AbortController()
      const events = bough.events({ signal: stop.signal })[Symbol.asyncIterator]()
      const first = events.next()
      let isHere = false
      void first.then(() => {
        isHere = true
      })
      // It may take a moment until somebody listens.
      await until('an event', async () => (await session()) && isHere)
      const { value } = await first
      expect(value).toMatchObject({ kind: 'session.created' })
      expect(value && 'sessionID' in value && value.sessionID).not.toBe(before)
      stop.abort()
      const left = async () => {
        while (!(await events.next()).done);
      }
      await left()
      const never = bough.events({ after: 0, signal: AbortSignal.abort() })
      expect(await Array.fromAsync(never)).toEqual([])
    })
  })

  describe('what an agent asks', () => {
    it('is listed, found and answered once', async () => {
      const { bough, session } = await open({ config: {} })
      const id = await session()
      const turn = await bough.send(id, 'run echo hello')
      const [permission] = await until('it to be asked', async () => {
        const asked = await bough.permissions()
        return asked.length > 0 && asked
      })
      const permissionID = permission?.id ?? unknown.permission
      expect(permission).toMatchObject({ sessionID: id, turnID: turn.id, tool: 'run', detail: 'echo hello' })
      expect(await bough.findPermission(permissionID.slice(-10))).toEqual(permission)
      expect(await bough.answer(permissionID, { allow: true })).toEqual({ ...permission, state: 'allowed' })
      expect(await turn.ended).toMatchObject({ outcome: 'finished' })
      const events = await Array.fromAsync(turn.events)
      expect(events).toContainEqual({ type: 'permission', permission })
      expect(await bough.permissions()).toEqual([])
      await refused(bough.answer(permissionID, { allow: false }), 'permission_answered')
      await refused(bough.answer(unknown.permission, { allow: true }), 'not_found')
      await refused(bough.findPermission(permissionID.slice(-10)), 'not_found')
      await refused(bough.findPermission('no id'), 'bad_input')
    })

    it('is denied, or allowed as far as the answer says, and never further than is offered', async () => {
      const { bough, session, turn } = await open({ config: {} })
      const id = await session()
      const answer = async (reply: Parameters<Bough['answer']>[1]) => {
        const asked = await until('it to be asked', async () => (await bough.permissions())[0])
        return bough.answer(asked.id, reply)
      }
      const denied = turn(id, 'run echo one')
      expect(await answer({ allow: false })).toMatchObject({ state: 'denied' })
      await denied
      const allowed = turn(id, 'run echo two')
      expect(await answer({ allow: true, scope: 'session' })).toMatchObject({
        state: 'allowed',
        scope: 'session',
      })
      await allowed
      await turn(id, 'run echo two')
      const every = turn(id, 'run echo three; echo four')
      const chain = await until('it to be asked', async () => (await bough.permissions())[0])
      expect(chain.offers).toEqual([
        { scope: 'call', words: 'once', rule: null },
        { scope: 'tool', words: 'every command this session', rule: 'run' },
      ])
      await refused(bough.answer(chain.id, { allow: true, scope: 'session' }), 'bad_input')
      await refused(bough.answer(chain.id, { allow: true, scope: 'always' }), 'bad_input')
      expect(await answer({ allow: true, scope: 'tool' })).toMatchObject({ scope: 'tool' })
      await every
      await turn(id, 'run echo five | cat')
      const results = (await bough.messages(id)).filter(({ role }) => role === 'tool')
      expect(JSON.stringify(results.map(({ parts }) => parts))).toMatch(/Denied.*two.*two.*three.*five/s)
    })
  })

  describe('the agents', () => {
    it('are listed with how they are', async () => {
      const { bough } = await open()
      expect(await bough.agents()).toMatchObject([
        { name: 'offline', installed: true, ready: true },
        { name: 'scripted', installed: true, ready: true, detail: 'does what the test says' },
      ])
    })
  })

  describe('closing', () => {
    it('ends what is followed from there', async () => {
      const { bough, session, agent } = await open()
      const turn = await bough.send(await session(), 'sleep 1')
      await agent.held(1)
      const reading = Array.fromAsync(bough.events({ after: 0, signal: new AbortController().signal })).catch(
        () => [],
      )
      await bough.close()
      expect(await turn.ended).toMatchObject({ outcome: 'interrupted' })
      await reading
    })
  })
}

/** So many events after a number. */
async function take(bough: Bough, after: number, many: number): Promise<readonly (TreeEvent | Reset)[]> {
  const stop = new AbortController()
  const taken: (TreeEvent | Reset)[] = []
  for await (const event of bough.events({ after, signal: stop.signal })) {
    taken.push(event)
    if (taken.length === many) break
  }
  stop.abort()
  return taken
}
