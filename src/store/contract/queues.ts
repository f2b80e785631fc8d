import { expect } from 'vitest'
import type { ChannelID, Ids, SessionID } from '../../tree/ids.ts'
import type { InboxItem } from '../../tree/inbox.ts'
import type { OutboxItem } from '../../tree/outgoing.ts'
import type { Store } from '../store.ts'
import { newChannel, newFork } from './new-channel.ts'
import type { StoreTest } from './store-test.ts'

const process = { pid: 1, started: 's', machine: 'm' }
const other = { ...process, pid: 2 }

async function newItem(
  store: Store,
  ids: Ids,
  channelID: ChannelID,
  more: Partial<InboxItem>,
): Promise<InboxItem> {
  const item: InboxItem = {
    ...{
      id: ids.inbox(),
      channelID,
      what: { kind: 'message', text: 'hello', externalID: null, replyTo: null },
    },
    ...{ isUrgent: false, isForMain: false, state: 'waiting', process, forkID: null, messageID: null },
    ...{ reason: null, created: 1, ...more },
  }
  await store.transaction((tx) => tx.inbox.insert(item))
  return item
}

/** What goes in and out of a channel, and who does that. */
export function queuesContract(it: StoreTest): void {
  it('takes a message of a chat in once, and knows which came last', async ({ store, ids, root }) => {
    const channelID = await newChannel(store, ids, await root())
    const what = { kind: 'message', text: 'hello', externalID: '17', replyTo: null } as const
    const heard = () => store.inbox.hasHeard(channelID, '17')
    expect(await heard()).toBe(false)
    await newItem(store, ids, channelID, { what })
    expect(await heard()).toBe(true)
    await expect(newItem(store, ids, channelID, { what })).rejects.toThrow()
    await store.transaction((tx) => tx.channels.heard(channelID, '17'))
    expect((await store.channels.get(channelID))?.lastHeard).toBe('17')
  })

  it('does what comes into a channel one by one, in the order in which it came, what is urgent first', async ({
    store,
    ids,
    root,
  }) => {
    const channelID = await newChannel(store, ids, await root())
    const add = (more: Partial<InboxItem> = {}) => newItem(store, ids, channelID, more)
    const [first, second] = [await add(), await add({ isForMain: true })]
    const open = async () => (await store.inbox.open(channelID)).map(({ id }) => id)
    const begin = (id: InboxItem['id'], who = process) => store.transaction((tx) => tx.inbox.begin(id, who))
    expect([await begin(first.id, other), await begin(first.id), await begin(first.id)]).toEqual([
      false,
      true,
      false,
    ])
    expect(await begin(second.id)).toBe(false)
    const urgent = await add({ isUrgent: true })
    expect([await open(), await store.inbox.busy()]).toEqual([[first.id, urgent.id, second.id], [channelID]])
    const end = (id: InboxItem['id'], reason: string | null) =>
      store.transaction((tx) => tx.inbox.end(id, reason === null ? 'done' : 'failed', reason))
    await end(first.id, null)
    await end(first.id, 'It is over already.')
    expect(await store.inbox.get(first.id)).toEqual({ ...first, state: 'done' })
    expect([await open(), await begin(urgent.id)]).toEqual([[urgent.id, second.id], true])
    await end(urgent.id, 'It died.')
    await end(second.id, null)
    expect(await store.inbox.get(urgent.id)).toMatchObject({ state: 'failed', reason: 'It died.' })
    expect([await open(), await store.inbox.busy()]).toEqual([[], []])
  })

  it('gives what comes in to another process until it has become a message', async ({ store, ids, root }) => {
    const channelID = await newChannel(store, ids, await root())
    const item = await newItem(store, ids, channelID, {})
    const [forkID, messageID] = [await root(), ids.message()]
    const adopt = (from: typeof process, to: typeof process) =>
      store.transaction((tx) => tx.inbox.adopt(item.id, from, to))
    const bind = (who: typeof process) => store.transaction((tx) => tx.inbox.bind(item.id, who, messageID))
    await store.transaction(async (tx) => {
      await tx.inbox.begin(item.id, process)
      expect(await tx.inbox.entered(item.id, other, forkID)).toBe(false)
      expect(await tx.inbox.entered(item.id, process, forkID)).toBe(true)
    })
    expect([await adopt(other, process), await adopt(process, other)]).toEqual([false, true])
    expect(await store.inbox.get(item.id)).toEqual({ ...item, process: other, forkID })
    expect(await bind(other)).toBe(false)
    await store.transaction((tx) => tx.inbox.begin(item.id, other))
    expect([await bind(process), await bind(other)]).toEqual([false, true])
    expect([await adopt(other, process), (await store.inbox.get(item.id))?.messageID]).toEqual([
      false,
      messageID,
    ])
  })

  it('takes a process with the same pid and start on another machine for another', async ({
    store,
    ids,
    root,
  }) => {
    const channelID = await newChannel(store, ids, await root())
    const { id } = await newItem(store, ids, channelID, {})
    const away = { ...process, machine: 'n' }
    const begin = (who: typeof process) => store.transaction((tx) => tx.inbox.begin(id, who))
    const adopt = (from: typeof process) => store.transaction((tx) => tx.inbox.adopt(id, from, other))
    const bind = (who: typeof process) => store.transaction((tx) => tx.inbox.bind(id, who, ids.message()))
    expect([await begin(away), await begin(process)]).toEqual([false, true])
    expect([await bind(away), await adopt(away), await adopt(process)]).toEqual([false, false, true])
  })

  it('shows what goes out of a channel once, by one process, or by another when that one is gone', async ({
    store,
    ids,
    root,
  }) => {
    const sessionID = await root()
    const channelID = await newChannel(store, ids, sessionID)
    const add = async (text: string): Promise<OutboxItem> => {
      const item: OutboxItem = {
        ...{ id: ids.outbox(), channelID, sessionID, what: { kind: 'notice', text }, state: 'waiting' },
        ...{ process: null, externalID: null, created: 1 },
      }
      await store.transaction((tx) => tx.outbox.insert(item))
      return item
    }
    const [first, second] = [await add('one'), await add('two')]
    expect(await store.outbox.open(channelID)).toEqual([first, second])
    const take = (who: typeof process, from: typeof process | null) =>
      store.transaction((tx) => tx.outbox.take(first.id, who, from))
    expect([await take(process, null), await take(other, null), await take(other, process)]).toEqual([
      true,
      false,
      true,
    ])
    expect((await store.outbox.open(channelID))[0]).toEqual({ ...first, state: 'sending', process: other })
    await store.transaction((tx) => tx.outbox.sent(first.id, 'x'))
    expect(await take(process, other)).toBe(false)
    expect(await store.outbox.open(channelID)).toEqual([second])
    const sent = { ...first, state: 'sent', process: other, externalID: 'x' }
    expect(await store.outbox.newest(channelID, 5)).toEqual([sent, second])
    expect(await store.outbox.newest(channelID, 1)).toEqual([second])
    expect([await store.outbox.of(sessionID), await store.outbox.of(await root())]).toEqual([
      [sent, second],
      [],
    ])
  })

  it('finds what has become a message, also when it is done', async ({ store, ids, root }) => {
    const channelID = await newChannel(store, ids, await root())
    const item = await newItem(store, ids, channelID, {})
    const messageID = ids.message()
    expect(await store.inbox.ofMessage(messageID)).toBeNull()
    await store.transaction(async (tx) => {
      await tx.inbox.begin(item.id, process)
      await tx.inbox.bind(item.id, process, messageID)
    })
    expect(await store.inbox.ofMessage(messageID)).toEqual({ ...item, state: 'running', messageID })
    await store.transaction((tx) => tx.inbox.end(item.id, 'done', null))
    expect((await store.inbox.ofMessage(messageID))?.id).toBe(item.id)
  })

  it('keeps nothing that an engine could not store in the words of what comes in and goes out', async ({
    store,
    ids,
    root,
  }) => {
    const sessionID = await root()
    const channelID = await newChannel(store, ids, sessionID)
    const what = { kind: 'message', text: 'a\0b\ud800', externalID: null, replyTo: null } as const
    const { id } = await newItem(store, ids, channelID, { what })
    expect(await store.inbox.get(id)).toMatchObject({ what: { text: 'a\ufffdb\ufffd' } })
    await store.transaction((tx) =>
      tx.outbox.insert({
        ...{ id: ids.outbox(), channelID, sessionID, what: { kind: 'notice', text: what.text } },
        ...{ state: 'waiting', process: null, externalID: null, created: 1 },
      }),
    )
    expect(await store.outbox.open(channelID)).toMatchObject([{ what: { text: 'a\ufffdb\ufffd' } }])
  })

  it('puts back what could not be shown, and takes out what a channel still had to show', async ({
    store,
    ids,
    root,
  }) => {
    const sessionID = await root()
    const channelID = await newChannel(store, ids, sessionID)
    const elsewhere = await newChannel(store, ids, sessionID, 'elsewhere')
    const add = async (where: ChannelID): Promise<OutboxItem> => {
      const item: OutboxItem = {
        ...{ id: ids.outbox(), channelID: where, sessionID, what: { kind: 'notice', text: 'x' } },
        ...{ state: 'waiting', process: null, externalID: null, created: 1 },
      }
      await store.transaction((tx) => tx.outbox.insert(item))
      return item
    }
    const [first, second, theirs] = [await add(channelID), await add(channelID), await add(elsewhere)]
    const take = (who: typeof process) => store.transaction((tx) => tx.outbox.take(first.id, who, null))
    const putBack = (who: typeof process) => store.transaction((tx) => tx.outbox.putBack(first.id, who))
    expect([await take(process), await take(other)]).toEqual([true, false])
    // Not by who had it before: another shows it now.
    await putBack(other)
    expect((await store.outbox.open(channelID))[0]).toMatchObject({ state: 'sending', process })
    await putBack(process)
    expect(await store.outbox.open(channelID)).toEqual([first, second])
    expect(await take(other)).toBe(true)
    await store.transaction((tx) => tx.outbox.sent(first.id, 'y'))
    await putBack(other)
    expect(await store.outbox.open(channelID)).toEqual([second])
    await store.transaction((tx) => tx.outbox.removeOf(channelID))
    expect(await store.outbox.newest(channelID, 5)).toEqual([])
    expect(await store.outbox.newest(elsewhere, 5)).toEqual([theirs])
  })

  it('counts how often each process has shown that it is awake', async ({ store, another }) => {
    const elsewhere = await another()
    const beats = (who: typeof process) => elsewhere.processes.beat(who)
    const beat = (who: typeof process) => store.transaction((tx) => tx.processes.beatOnce(who), 'relaxed')
    expect(await beats(process)).toBeNull()
    const seen: (number | null)[] = []
    for (const _ of [1, 2, 3]) {
      await beat(process)
      seen.push(await beats(process))
    }
    expect(new Set(seen).size).toBe(3)
    // Another that got the same pid, or has it on another machine.
    for (const who of [other, { ...process, started: 't' }, { ...process, machine: 'n' }]) {
      expect(await beats(who)).toBeNull()
      await beat(who)
    }
    expect(await beats(process)).toBe(seen.at(-1))
    expect(await store.processes.all()).toContainEqual(process)
    await store.transaction((tx) => tx.processes.remove(process))
    expect(await store.processes.all()).not.toContainEqual(process)
    expect(await beats(process)).toBeNull()
    expect(await beats(other)).not.toBeNull()
  })

  it('forgets what was over by then, but no banner of a fork that is open', async ({ store, ids, root }) => {
    const [sessionID, open] = [await root(), await root()]
    const channelID = await newChannel(store, ids, sessionID)
    await store.transaction((tx) => tx.sideForks.insert(newFork(open, channelID)))
    const [done, waiting, late] = [
      await newItem(store, ids, channelID, {}),
      await newItem(store, ids, channelID, {}),
      await newItem(store, ids, channelID, { created: 9 }),
    ]
    const sent = async (from: SessionID, created: number, isSent: boolean) => {
      const item: OutboxItem = {
        ...{ id: ids.outbox(), channelID, sessionID: from, what: { kind: 'notice', text: 'x' } },
        ...{ state: 'waiting', process: null, externalID: null, created },
      }
      await store.transaction(async (tx) => {
        await tx.outbox.insert(item)
        if (isSent) await tx.outbox.sent(item.id, null)
      })
      return item.id
    }
    await sent(sessionID, 1, true)
    await sent(sessionID, 1, false)
    const kept = [await sent(open, 1, true), await sent(sessionID, 9, true)]
    await store.transaction(async (tx) => {
      await tx.inbox.end(done.id, 'done', null)
      await tx.inbox.end(late.id, 'done', null)
      await tx.inbox.forget(5)
      await tx.outbox.forget(5)
    })
    expect(await store.inbox.get(done.id)).toBeNull()
    expect(await store.inbox.get(waiting.id)).not.toBeNull()
    expect(await store.inbox.get(late.id)).not.toBeNull()
    expect((await store.outbox.newest(channelID, 9)).map(({ id }) => id)).toEqual(kept)
  })

  it('gives a duty to one process, and to another only from that one', async ({ store }) => {
    const take = (who: typeof process, from: typeof process | null) =>
      store.transaction((tx) => tx.duties.take({ name: 'timers', process: who, leaseUntil: 5 }, from))
    expect([await take(process, null), await take(other, null)]).toEqual([true, false])
    expect([await take(process, process), await take(other, other)]).toEqual([true, false])
    expect(await take(other, process)).toBe(true)
    await store.transaction((tx) => tx.duties.leave('timers', process))
    expect((await store.duties.get('timers'))?.process).toEqual(other)
    await store.transaction((tx) => tx.duties.leave('timers', other))
    expect(await store.duties.get('timers')).toBeNull()
  })
}
