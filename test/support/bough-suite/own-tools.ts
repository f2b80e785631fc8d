import { describe, expect, it } from 'vitest'
import type { NativeMessage } from '../../../src/tree/native.ts'
import { type Ground, type OpenGround, refused, unknown } from './ground.ts'

export const ownTools = (open: OpenGround) =>
  describe("an agent's own tool", () => {
    it('is lent a session, and what was said there joins it', async () => {
      const ground = await open()
      const { bough, directory } = ground
      const id = await talked(ground)
      const lent = await bough.lend(id, async (command) => {
        sayThere(ground, 'said there')
        return command
      })
      expect(lent).toEqual({ command: ['true'], directory })
      expect((await bough.messages(id)).map(({ text }) => text)).toEqual([
        'hello',
        'heard: hello',
        'said there',
      ])
    })

    it('has the session for itself meanwhile', async () => {
      const ground = await open()
      const { bough } = ground
      const id = await talked(ground)
      const work = Promise.withResolvers<string>()
      const begun = Promise.withResolvers<void>()
      const lending = bough.lend(id, () => {
        begun.resolve()
        return work.promise
      })
      await begun.promise
      const sending = bough.send(id, 'second')
      sayThere(ground, 'said there')
      work.resolve('done')
      expect(await lending).toBe('done')
      await (await sending).ended
      expect((await bough.messages(id)).map(({ text }) => text)).toEqual([
        ...['hello', 'heard: hello', 'said there', 'second', 'heard: second'],
      ])
    })

    it('that fails has failed for whoever lent it, and the session is back', async () => {
      const ground = await open()
      const id = await talked(ground)
      const failure = new TypeError('it broke')
      const lending = ground.bough.lend(id, async () => {
        throw failure
      })
      await expect(lending).rejects.toBe(failure)
      await ground.turn(id, 'again')
    })

    it('is lent nothing where there is none, or where it knows nothing of the session', async () => {
      const { bough, session, turn, directory } = await open()
      const id = await session()
      await turn(id, 'hello')
      const work = async () => expect.unreachable('Nothing was lent.')
      await refused(bough.lend(id, work), 'bad_input')
      const fresh = await bough.create({ directory, agent: 'scripted' })
      await refused(bough.lend(fresh.id, work), 'bad_input')
      await refused(bough.lend(unknown.session, work), 'not_found')
    })

    it('may have been used since: opening the session again tells', async () => {
      const ground = await open()
      const { bough, session, another } = ground
      const offline = await session()
      const nothingNew = { added: 0, branchID: null, seed: [], missing: null }
      expect(await bough.reopen(offline)).toEqual(nothingNew)
      // Talked in elsewhere, so that nobody has it open here.
      const elsewhere = await another()
      const id = await talked({ ...ground, bough: elsewhere })
      await elsewhere.close()
      expect(await bough.reopen(id)).toEqual(nothingNew)
      sayThere(ground, 'said there')
      expect(await bough.reopen(id)).toEqual({ ...nothingNew, added: 1 })
      expect((await bough.messages(id)).at(-1)?.text).toBe('said there')
      await refused(bough.reopen(unknown.session), 'not_found')
    })

    it('keeps sessions by itself, which are listed and adopted', async () => {
      const { bough, scripted, directory } = await open()
      scripted.sessions.set('kept', [native('user', 'a question'), native('assistant', 'an answer')])
      const listed = await bough.adoptable({ directory, agent: 'scripted' })
      expect(listed).toMatchObject({ sessions: [{ nativeID: 'kept', sessionID: null, title: 'Kept' }] })
      const adopted = await bough.adopt({ agent: 'scripted', nativeID: 'kept' })
      expect(adopted).toMatchObject({ agent: 'scripted', nativeID: 'kept', messages: 2 })
      expect((await bough.messages(adopted.id)).map(({ text }) => text)).toEqual(['a question', 'an answer'])
      expect((await bough.adopt({ agent: 'scripted', nativeID: 'kept' })).id).toBe(adopted.id)
      expect((await bough.adoptable({ directory })).sessions.map(({ sessionID }) => sessionID)).toEqual([
        adopted.id,
      ])
    })

    it('is not asked for what it does not have', async () => {
      const { bough, scripted, directory } = await open()
      await refused(bough.adopt({ agent: 'scripted', nativeID: 'nothing' }), 'native_missing')
      await refused(bough.adopt({ agent: 'offline', nativeID: 'nothing' }), 'bad_input')
      await refused(bough.adopt({ agent: 'nobody', nativeID: 'nothing' }), 'agent_unknown')
      await refused(bough.adoptable({ directory, agent: 'nobody' }), 'agent_unknown')
      await refused(bough.adoptable({ directory: `${directory}/nowhere` }), 'directory_gone')
      scripted.sessions.set('kept', [native('user', 'a question')])
      const signal = AbortSignal.abort(new Error('enough'))
      await expect(bough.adopt({ agent: 'scripted', nativeID: 'kept' }, { signal })).rejects.toThrow('enough')
      expect(await bough.sessions()).toEqual([])
    })
  })

/** A session of the scripted agent in which something was said. */
async function talked({ bough, directory }: Pick<Ground, 'bough' | 'directory'>) {
  const { id } = await bough.create({ directory, agent: 'scripted' })
  await (await bough.send(id, 'hello')).ended
  return id
}

const native = (role: NativeMessage['role'], text: string, nativeID = text): NativeMessage => ({
  ...{ role, parts: [{ type: 'text', text }], status: 'complete', created: 0, nativeID },
})

/** The person types something in the agent's own tool. */
function sayThere({ scripted }: Ground, text: string): void {
  const said = [...scripted.sessions.values()].at(-1)
  said?.push(native('user', text, `there:${said.length}`))
}
