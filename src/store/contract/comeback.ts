import { expect } from 'vitest'
import type { Channel } from '../../tree/channel.ts'
import type { ChannelID, SessionID } from '../../tree/ids.ts'
import type { SideFork } from '../../tree/side-fork.ts'
import { newChannel, newFork } from './new-channel.ts'
import { queuesContract } from './queues.ts'
import { schedulesContract } from './schedules.ts'
import type { StoreTest } from './store-test.ts'

const process = { pid: 1, started: 's', machine: 'm' }
const other = { ...process, pid: 2 }

/** What forks that come back need, and their channels, queues and schedules. */
export function comebackContract(it: StoreTest): void {
  it('moves a channel’s main only from where it is', async ({ store, ids, root }) => {
    const [a, b] = [await root(), await root()]
    const id = await newChannel(store, ids, a)
    const nothingYet = { openForkID: null, lastHeard: null }
    const channel: Channel = { id, frontEnd: 'cli', key: 'k', mainID: a, ...nothingYet, created: 1 }
    expect(await store.channels.get(id)).toEqual(channel)
    expect(await store.channels.keyed('cli', 'k')).toEqual(channel)
    expect(await store.channels.keyed('discord', 'k')).toBeNull()
    await expect(newChannel(store, ids, b)).rejects.toThrow()
    const move = (from: SessionID, to: SessionID) =>
      store.transaction((tx) => tx.channels.moveMain(id, from, to))
    expect([await move(b, a), await move(a, b), await move(a, b)]).toEqual([false, true, false])
    expect((await store.channels.withMain(b)).map((each) => each.id)).toEqual([id])
    expect(await store.channels.all()).toHaveLength(1)
    await store.transaction((tx) => tx.channels.remove(id))
    expect([await store.channels.get(id), await store.channels.all()]).toEqual([null, []])
  })

  it('has one open interactive fork in a channel, and any number of background ones', async ({
    store,
    ids,
    root,
  }) => {
    const [main, a, b, c] = [await root(), await root(), await root(), await root()]
    const channelID = await newChannel(store, ids, main)
    const insert = (fork: SideFork) => store.transaction((tx) => tx.sideForks.insert(fork))
    const herons = newFork(a, channelID, { topic: 'herons', allowedTools: ['run'], origin: 'reply' })
    await insert(herons)
    expect(await store.sideForks.openIn(channelID)).toEqual(herons)
    expect((await store.channels.get(channelID))?.openForkID).toBe(a)
    await expect(insert(newFork(b, channelID))).rejects.toThrow()
    await insert(newFork(b, channelID, { kind: 'background' }))
    await insert(newFork(c, channelID, { kind: 'background' }))
    expect((await store.sideForks.open()).map(({ sessionID }) => sessionID)).toEqual([a, b, c])
    expect((await store.sideForks.list({ channelID, limit: 2 })).map(({ sessionID }) => sessionID)).toEqual([
      c,
      b,
    ])
    await store.transaction((tx) => tx.sideForks.removeOf(b))
    expect(await store.sideForks.get(b)).toBeNull()
  })

  it('begins background runs while there is place, with whoever has them', async ({ store, ids, root }) => {
    const channelID = await newChannel(store, ids, await root())
    const scheduleID = ids.schedule()
    const add = async (more: Partial<SideFork>) => {
      const run = newFork(await root(), channelID, { kind: 'background', origin: 'schedule', scheduleID })
      await store.transaction((tx) => tx.sideForks.insert({ ...run, ...more }))
      return run.sessionID
    }
    const [a, b] = [await add({ process, prompt: 'look' }), await add({})]
    expect((await store.sideForks.lastRun(scheduleID))?.sessionID).toBe(b)
    expect(await store.sideForks.lastRun(ids.schedule())).toBeNull()
    const begin = (id: SessionID, who: typeof process) =>
      store.transaction((tx) => tx.sideForks.begin(id, who, 40, 1))
    expect([await begin(a, other), await begin(a, process), await begin(a, process)]).toEqual([
      false,
      true,
      false,
    ])
    expect(await store.sideForks.get(a)).toMatchObject({ process, prompt: 'look', began: 40 })
    const adopt = (id: SessionID, from: typeof process | null) =>
      store.transaction((tx) => tx.sideForks.adopt(id, from, other))
    expect([await adopt(b, process), await adopt(b, null), await adopt(b, null)]).toEqual([
      false,
      true,
      false,
    ])
    expect(await begin(b, other)).toBe(false)
    expect([await adopt(a, { ...process, machine: 'n' }), await adopt(a, process)]).toEqual([false, true])
    expect(await store.sideForks.get(a)).toMatchObject({ process: other, began: null })
    expect(await begin(b, other)).toBe(true)
    // One whose prompt is stored is never run again.
    await store.transaction((tx) => tx.sideForks.sent(b, other, ids.message()))
    expect(await adopt(b, other)).toBe(false)
    await store.transaction(async (tx) => {
      await tx.sideForks.note(a, 'pinged')
      await tx.sideForks.note(b, 'reported')
    })
    expect(await store.sideForks.get(a)).toMatchObject({ reported: false, pinged: true })
    expect(await store.sideForks.get(b)).toMatchObject({ reported: true, pinged: false })
    await store.transaction((tx) => tx.sideForks.end(b, 'finished', null, 50))
    expect([await adopt(b, other), await begin(a, other)]).toEqual([false, true])
  })

  it('counts the first wish, ends a fork once, and clears what was asked only for the person', async ({
    store,
    ids,
    root,
  }) => {
    const [main, a] = [await root(), await root()]
    const channelID = await newChannel(store, ids, main)
    const turnID = ids.turn()
    await store.transaction((tx) => tx.sideForks.insert(newFork(a, channelID)))
    const saving = { action: 'save' as const, text: null, turnID }
    const wish = (action: 'save' | 'discard') =>
      store.transaction((tx) => tx.sideForks.wish(a, { ...saving, action }))
    expect([await wish('save'), await wish('discard')]).toEqual([true, false])
    expect((await store.sideForks.get(a))?.wish).toEqual(saving)
    const prompt = () => store.transaction((tx) => tx.sideForks.prompt(a, 50))
    expect([await prompt(), await prompt()]).toEqual([true, false])
    await store.transaction((tx) => tx.sideForks.touch(a, 60, 'agent'))
    expect(await store.sideForks.get(a)).toMatchObject({ lastActivity: 60, promptedAt: 50 })
    await store.transaction((tx) => tx.sideForks.touch(a, 70, 'person'))
    expect(await store.sideForks.get(a)).toMatchObject({ lastActivity: 70, promptedAt: null })
    const end = () => store.transaction((tx) => tx.sideForks.end(a, 'discarded', 'so', 80))
    expect([await end(), await end(), await wish('save'), await prompt()]).toEqual([
      true,
      false,
      false,
      false,
    ])
    expect(await store.sideForks.get(a)).toMatchObject({ state: 'ended', outcome: 'discarded', ended: 80 })
    expect((await store.channels.get(channelID))?.openForkID).toBeNull()
  })

  it('lets a wish for a report get its words later', async ({ store, ids, root }) => {
    const a = await root()
    const channelID = await newChannel(store, ids, await root())
    await store.transaction((tx) => tx.sideForks.insert(newFork(a, channelID)))
    const report = (text: string | null) =>
      store.transaction((tx) => tx.sideForks.wish(a, { action: 'report', text, turnID: null }))
    expect([await report(null), await report('herons'), await report('storks')]).toEqual([true, true, false])
    expect((await store.sideForks.get(a))?.wish).toEqual({ action: 'report', text: 'herons', turnID: null })
  })

  it('gives each update to one message, once', async ({ store, ids, root }) => {
    const [main, a] = [await root(), await root()]
    const channelID = await newChannel(store, ids, main)
    const add = async (text: string) => {
      const id = ids.update()
      await store.transaction((tx) =>
        tx.updates.insert({ id, channelID, sessionID: a, text, afterSeq: 0, created: 1 }),
      )
      return id
    }
    await add('one')
    const second = await add('two')
    const texts = async () => (await store.updates.waiting(channelID)).map(({ text }) => text)
    expect(await texts()).toEqual(['one', 'two'])
    const [first, again] = [ids.message(), ids.message()]
    const assign = (id: typeof first) => store.transaction((tx) => tx.updates.assign(channelID, id))
    expect((await assign(first)).map(({ text }) => text)).toEqual(['one', 'two'])
    expect([await assign(again), await texts()]).toEqual([[], []])
    await store.transaction((tx) => tx.updates.takeBack(first))
    expect(await texts()).toEqual(['one', 'two'])
    const shown = ids.message()
    await store.transaction(async (tx) => {
      await tx.updates.see(shown, [second])
      expect(await tx.updates.seenIn(second)).toEqual([shown])
    })
    expect(await texts()).toEqual(['one', 'two'])
    await store.transaction(async (tx) => {
      await tx.updates.remove(second)
      expect(await tx.updates.seenIn(second)).toEqual([])
    })
    expect(await texts()).toEqual(['one'])
  })

  it('never takes back an update that is settled, and forgets those that main was told', async ({
    store,
    ids,
    root,
  }) => {
    const a = await root()
    const channelID = await newChannel(store, ids, await root())
    const add = async (text: string, created: number) => {
      const id = ids.update()
      await store.transaction((tx) =>
        tx.updates.insert({ id, channelID, sessionID: a, text, afterSeq: 3, created }),
      )
      return id
    }
    const texts = async () => (await store.updates.waiting(channelID)).map(({ text }) => text)
    const [first, second] = [ids.message(), ids.message()]
    const give = (id: typeof first) => store.transaction((tx) => tx.updates.assign(channelID, id))
    const told = await add('settled', 10)
    await give(first)
    await add('in doubt', 20)
    await give(second)
    await store.transaction(async (tx) => {
      await tx.updates.settle(first)
      await tx.updates.takeBack(first)
      await tx.updates.takeBack(second)
    })
    expect(await texts()).toEqual(['in doubt'])
    expect((await store.updates.waiting(channelID))[0]).toMatchObject({ afterSeq: 3, messageID: null })
    const shown = ids.message()
    const seen = () => store.transaction((tx) => tx.updates.seenIn(told))
    await store.transaction((tx) => tx.updates.see(shown, [told]))
    await store.transaction((tx) => tx.updates.forget(10))
    expect(await seen()).toEqual([shown])
    // What main has not been told is never too old.
    await store.transaction((tx) => tx.updates.forget(1_000))
    expect([await seen(), await texts()]).toEqual([[], ['in doubt']])
  })

  it('binds a run to its prompt while it is open and with the process that sends it', async ({
    store,
    ids,
    root,
  }) => {
    const run = await root()
    const channelID = await newChannel(store, ids, await root())
    await store.transaction((tx) =>
      tx.sideForks.insert(newFork(run, channelID, { kind: 'background', process })),
    )
    const sent = (who: typeof process, promptID = ids.message()) =>
      store.transaction((tx) => tx.sideForks.sent(run, who, promptID))
    const promptID = ids.message()
    expect([await sent(other), await sent({ ...process, machine: 'n' })]).toEqual([false, false])
    expect((await store.sideForks.get(run))?.promptID).toBeNull()
    expect([await sent(process, promptID), (await store.sideForks.get(run))?.promptID]).toEqual([
      ...[true, promptID],
    ])
    await store.transaction((tx) => tx.sideForks.end(run, 'discarded', null, 50))
    expect([await sent(process), (await store.sideForks.get(run))?.promptID]).toEqual([false, promptID])
  })

  it('finds the turn that a prompt began, also when it is over', async ({ store, ids, root }) => {
    const sessionID = await root()
    const [id, promptID] = [ids.turn(), ids.message()]
    await store.transaction((tx) => tx.turns.insert({ id, sessionID, promptID, started: 5 }))
    expect(await store.turns.ofPrompt(promptID)).toMatchObject({ id, sessionID, outcome: null })
    await store.transaction((tx) => tx.turns.end(id, { outcome: 'failed', reason: 'so' }, 6))
    expect(await store.turns.ofPrompt(promptID)).toMatchObject({ id, outcome: 'failed', reason: 'so' })
    expect(await store.turns.ofPrompt(ids.message())).toBeNull()
  })

  it('knows which messages of a chat show a turn, in their order, until that is forgotten', async ({
    store,
    ids,
    root,
  }) => {
    const channelID = await newChannel(store, ids, await root())
    const [turnID, another] = [ids.turn(), ids.turn()]
    const show = (externalID: string, of = turnID, created = 10) =>
      store.transaction((tx) => tx.links.show({ channelID, externalID, turnID: of, created }))
    for (const externalID of ['z', 'a', 'z', 'm']) await show(externalID)
    await show('other', another, 20)
    expect(await store.links.showing(turnID)).toEqual(['z', 'a', 'm'])
    await store.transaction((tx) => tx.links.forget(15))
    expect([await store.links.showing(turnID), await store.links.showing(another)]).toEqual([[], ['other']])
  })

  it('knows of links and inquiries that they were there, when they are too old to follow', async ({
    store,
    ids,
    root,
  }) => {
    const main = await root()
    const channelID = await newChannel(store, ids, main)
    const [id, link] = [ids.inquiry(), { channelID, externalID: 'x', sessionID: main, created: 10 }]
    const inquiry = { id, channelID, sessionID: null, label: 'Go', prompt: 'go', used: null, created: 20 }
    await store.transaction(async (tx) => {
      await tx.links.insert(link)
      await tx.links.insertInquiry(inquiry)
    })
    expect([await store.links.get(channelID, 'x'), await store.links.inquiry(id)]).toEqual([link, inquiry])
    expect(await store.links.get(channelID, 'y')).toBeNull()
    await store.transaction((tx) => tx.links.forget(15))
    expect(await store.links.get(channelID, 'x')).toEqual({ ...link, sessionID: null })
    const use = () => store.transaction((tx) => tx.links.use(id, 30))
    expect([await use(), await use()]).toEqual([true, false])
    expect((await store.links.inquiry(id))?.used).toBe(30)
  })

  it('removes what links a chat to a channel, and leaves that of others', async ({ store, ids, root }) => {
    const main = await root()
    const channels = [
      await newChannel(store, ids, main),
      await newChannel(store, ids, main, 'other'),
    ] as const
    const of = async (channelID: ChannelID) => {
      const [id, turnID] = [ids.inquiry(), ids.turn()]
      await store.transaction(async (tx) => {
        await tx.links.insert({ channelID, externalID: 'x', sessionID: main, created: 10 })
        const asked = { sessionID: null, label: 'Go', prompt: 'go', used: null }
        await tx.links.insertInquiry({ id, channelID, ...asked, created: 10 })
        await tx.links.show({ channelID, externalID: 'y', turnID, created: 10 })
      })
      return async () => [
        await store.links.get(channelID, 'x'),
        await store.links.inquiry(id),
        (await store.links.showing(turnID))[0] ?? null,
      ]
    }
    const [removed, kept] = [await of(channels[0]), await of(channels[1])]
    await store.transaction((tx) => tx.links.removeOf(channels[0]))
    expect(await removed()).toEqual([null, null, null])
    expect(await kept()).not.toContain(null)
  })

  schedulesContract(it)
  queuesContract(it)
}
