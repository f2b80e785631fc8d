import { expect } from 'vitest'
import type { Part } from '../../tree/message.ts'
import { readPage } from '../line.ts'
import type { StoreTest } from './store-test.ts'

export function messagesContract(it: StoreTest): void {
  it('gives back what was written, to another process too', async ({ store, another, root, said }) => {
    const id = await root('Übergrößenträger 👩‍🚀')
    const parts: Part[] = [
      { type: 'text', text: 'line\nbreak \u2028 "quotes" 文' },
      { type: 'reasoning', text: 'hm' },
      { type: 'tool-call', callID: 'c1', name: 'run', args: { command: ['a', 1, null, true] } },
      { type: 'tool-result', callID: 'c1', name: 'run', output: '\u001b[31mred', exitCode: 3 },
      { type: 'context', text: 'before' },
      { type: 'notice', text: 'note' },
    ]
    const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4, costUSD: 0.5 }
    const message = said('', {
      parts,
      usage,
      nativeID: 'native-1',
      role: 'assistant',
      status: 'interrupted',
    })
    await store.transaction((tx) => tx.messages.append(id, [message]))
    const other = await another()
    expect(await other.messages.get(message.id)).toEqual({
      ...message,
      sessionID: id,
      seq: 1,
      text: 'line\nbreak \u2028 "quotes" 文',
      snapshot: null,
    })
    expect(await other.sessions.get(id)).toMatchObject({
      title: 'Übergrößenträger 👩‍🚀',
      messages: 1,
      state: 'idle',
    })
  })

  it('keeps no NUL and no half of a surrogate pair', async ({ store, root, say }) => {
    const id = await root('a\0b\ud800')
    const [message] = await say(id, 'x\0y\udc00')
    expect(message?.text).toBe('x\uFFFDy\uFFFD')
    expect((await store.sessions.get(id))?.title).toBe('a\uFFFDb\uFFFD')
  })

  it('numbers the messages of a session 1, 2, 3 without a gap', async ({ store, root, say }) => {
    const [a, b] = [await root(), await root()]
    await say(a, 'one', 'two')
    await say(b, 'other')
    await say(a, 'three')
    const line = await readPage(store, a, {})
    expect(line.map((message) => message.seq)).toEqual([1, 2, 3])
  })

  it('refuses the same native entry twice in one session', async ({ store, root, said, texts }) => {
    const id = await root()
    await store.transaction((tx) => tx.messages.append(id, [said('a', { nativeID: 'n' })]))
    await expect(
      store.transaction((tx) => tx.messages.append(id, [said('b', { nativeID: 'n' })])),
    ).rejects.toThrow()
    expect(await texts(id)).toEqual(['a'])
  })

  it('sums usage over a range, once for each message', async ({ store, root, said }) => {
    const id = await root()
    const usage = {
      inputTokens: 10,
      outputTokens: 1,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      costUSD: 0.25,
    }
    await store.transaction((tx) =>
      tx.messages.append(id, [said('a', { usage }), said('b'), said('c', { usage })]),
    )
    expect(await store.messages.usage({ sessionID: id, from: 1, to: 2 })).toEqual(usage)
    expect(await store.messages.usage({ sessionID: id, from: 1, to: 3 })).toMatchObject({
      inputTokens: 20,
      costUSD: 0.5,
    })
  })

  it('books more on the last message, with or without usage before', async ({ store, root, said }) => {
    const id = await root()
    const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4, costUSD: 0.5 }
    await store.transaction(async (tx) => {
      const [message] = await tx.messages.append(id, [said('a')])
      for (const _ of [1, 2]) await tx.messages.book(message?.id ?? 'msg_', usage)
    })
    const twice = { inputTokens: 2, outputTokens: 4, cacheReadTokens: 6, cacheWriteTokens: 8, costUSD: 1 }
    expect(await store.messages.usage({ sessionID: id, from: 1, to: 1 })).toEqual(twice)
    expect((await store.sessions.get(id))?.cost.own).toEqual(twice)
  })
}
