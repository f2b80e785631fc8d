import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { MessageID } from '../../../src/tree/ids.ts'
import type { Message } from '../../../src/tree/message.ts'
import type { SessionDocument } from '../../../src/tree/session-document.ts'
import { count } from '../size.ts'
import { type OpenGround, refused, unknown } from './ground.ts'

const many = count(30_000, 3_000)

export const messages = (open: OpenGround): void => {
  describe('messages', () => {
    it('are read in pages from the head, and as a whole line', async () => {
      const { bough, session, turn } = await open()
      const id = await session()
      for (const text of ['one', 'two', 'three']) await turn(id, text)
      const all = await bough.messages(id)
      expect(all.map(({ text }, i) => (i % 2 === 0 ? text : ''))).toEqual(['one', '', 'two', '', 'three', ''])
      expect(await Array.fromAsync(bough.line(id))).toEqual(all)
      expect(await bough.messages(id, { limit: 2 })).toEqual(all.slice(4))
      expect(await bough.messages(id, { limit: 3, before: idOf(all[4]) })).toEqual(all.slice(1, 4))
      expect(await bough.messages(id, { before: idOf(all[0]) })).toEqual([])
      expect(await bough.messages(id, { limit: 0 })).toEqual([])
    })

    it('of a session that is not there, or before one that is not on its line, are refused', async () => {
      const { bough, session, turn } = await open()
      const [id, other] = [await session(), await session()]
      const elsewhere = await turn(other, 'hello')
      await refused(bough.messages(unknown.session), 'not_found')
      await refused(Array.fromAsync(bough.line(unknown.session)), 'not_found')
      await refused(bough.messages(id, { before: unknown.message }), 'not_found')
      await refused(bough.messages(id, { before: elsewhere }), 'not_on_line')
    })

    it('are found by whole or shortened ids on a line', async () => {
      const { bough, session, turn } = await open()
      const [id, other] = [await session(), await session()]
      const last = await turn(id, 'hello')
      const elsewhere = await turn(other, 'hello')
      expect((await bough.findMessage(id, last)).id).toBe(last)
      expect((await bough.findMessage(id, last.slice(-9))).id).toBe(last)
      await refused(bough.findMessage(id, last.slice(4, 7)), 'ambiguous_id')
      await refused(bough.findMessage(id, elsewhere), 'not_on_line')
      await refused(bough.findMessage(id, unknown.message), 'not_found')
      await refused(bough.findMessage(id, 'no id'), 'bad_input')
      await refused(bough.findMessage(unknown.session, last.slice(-9)), 'not_found')
    })

    it(`are all there in a line of ${many}`, async () => {
      const { bough, directory } = await open()
      const { id } = await bough.importDocument(documentOf(many), { directory })
      const texts = (found: readonly Message[]) => found.map(({ text }) => text)
      const whole = Array.from({ length: many }, (_, i) => `message ${i}`)
      expect(texts(await Array.fromAsync(bough.line(id)))).toEqual(whole)
      expect(texts(await bough.messages(id))).toEqual(whole)
      expect(texts(await bough.messages(id, { limit: 2_500 }))).toEqual(whole.slice(-2_500))
      let read = 0
      for await (const { text } of bough.line(id)) {
        expect(text).toBe(whole[read])
        read += 1
        // Who has seen enough leaves.
        if (read === 10) break
      }
    })
  })

  describe('a document', () => {
    it('becomes a session with the same messages under new ids', async () => {
      const { bough, directory } = await open()
      const document = documentOf(5)
      const made = await bough.importDocument(document, { directory })
      expect(made).toMatchObject({ title: 'Kept', agent: 'offline', directory, labels: ['x'], messages: 5 })
      const line = await Array.fromAsync(bough.line(made.id))
      expect(line.map(({ role, parts, status }) => ({ role, parts, status }))).toEqual(
        document.messages.map(({ role, parts, status }) => ({ role, parts, status })),
      )
      expect((await bough.importDocument(document, { directory, agent: 'scripted' })).agent).toBe('scripted')
    })

    it('of an agent that is not known, or for a directory that is not there, is refused', async () => {
      const { bough, directory } = await open()
      const of = (agent: string) => ({ ...documentOf(1), session: { ...documentOf(1).session, agent } })
      await refused(bough.importDocument(of('nobody'), { directory }), 'agent_unknown')
      await refused(bough.importDocument(documentOf(1), { directory, agent: 'nobody' }), 'agent_unknown')
      const nowhere = join(directory, 'nowhere')
      await refused(bough.importDocument(documentOf(1), { directory: nowhere }), 'directory_gone')
      expect(await bough.sessions()).toEqual([])
    })

    it('that is given up leaves nothing', async () => {
      const { bough, directory, session } = await open()
      const signal = AbortSignal.abort(new Error('enough'))
      await expect(bough.importDocument(documentOf(5), { directory, signal })).rejects.toThrow('enough')
      const stop = new AbortController()
      const importing = bough.importDocument(documentOf(many), { directory, signal: stop.signal })
      stop.abort(new Error('enough'))
      await expect(importing).rejects.toThrow('enough')
      expect(await bough.sessions()).toEqual([])
      await session('The next')
      expect((await bough.sessions()).map(({ title }) => title)).toEqual(['The next'])
    })
  })
}

const idOf = (message: Message | undefined): MessageID => message?.id ?? unknown.message

const documentOf = (length: number): SessionDocument => ({
  format: 'bough.session',
  version: 1,
  exported: 1,
  session: {
    ...{ id: unknown.session, title: 'Kept', agent: 'offline', model: null, directory: '/elsewhere' },
    ...{ labels: ['x'], created: 1, updated: 2 },
  },
  messages: Array.from({ length }, (_, i) => ({
    id: `m${i}`,
    role: i % 2 === 0 ? 'user' : 'assistant',
    status: 'complete',
    parts: [{ type: 'text', text: `message ${i}` }],
    created: i + 1,
    usage: null,
  })),
})
