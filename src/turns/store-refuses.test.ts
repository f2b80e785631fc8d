import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, vi } from 'vitest'
import { newHome, openForTest, turn } from '../../test/support/bough.ts'
import { openBough } from '../open-bough.ts'
import { openStore, storeFile } from '../store/open.ts'

// The store refuses some writes for a while, as on a full disk: here by a trigger that a test sets and takes away.

async function refusing(dataDirectory: string, what: string): Promise<{ stop(): Promise<void> }> {
  const db = new DatabaseSync(storeFile(dataDirectory), { timeout: 0 })
  // Without blocking: the transaction that is in the way may be one of this very process.
  const exec = (sql: string) => vi.waitFor(() => db.exec(sql), { timeout: 10_000, interval: 10 })
  await exec(`CREATE TRIGGER refuse BEFORE ${what} BEGIN SELECT RAISE(ABORT, 'refused for the test'); END`)
  return {
    async stop() {
      await exec('DROP TRIGGER refuse')
      db.close()
    },
  }
}

describe('when the store refuses', () => {
  it('a prompt that cannot be stored leaves the session to others', async () => {
    const home = await newHome()
    const [one, other] = [await openForTest(home), await openForTest(home)]
    const { id } = await one.create({ directory: home.project })
    await turn(one, id, 'first')
    const refused = await refusing(home.data, 'INSERT ON turns')
    await expect(one.send(id, 'second')).rejects.toThrow('refused for the test')
    await refused.stop()
    await turn(other, id, 'from the other')
    expect((await other.messages(id)).filter(({ role }) => role === 'user').map(({ text }) => text)).toEqual([
      'first',
      'from the other',
    ])
  })

  it('words that could not be stored when they were finished are stored with the end of the turn', async () => {
    const home = await newHome()
    const bough = await openForTest(home)
    const { id } = await bough.create({ directory: home.project })
    const refused = await refusing(
      home.data,
      `INSERT ON messages WHEN new.role = 'assistant' AND new.status = 'complete'`,
    )
    const messages = await turn(bough, id, 'what do you know?')
    await refused.stop()
    expect(messages.map(({ role, status }) => [role, status])).toEqual([
      ['user', 'complete'],
      ['assistant', 'failed'],
      ['error', 'failed'],
    ])
    expect(messages[1]?.text).toContain('what do you know?')
  })

  it('a turn whose end could not be stored is closed, with its reason, as soon as it can be', async () => {
    const home = await newHome()
    const bough = await openForTest(home, { lease: 400 })
    const { id } = await bough.create({ directory: home.project })
    const refused = await refusing(home.data, 'UPDATE OF outcome ON turns')
    const running = await bough.send(id, 'hello')
    expect(await running.ended).toMatchObject({ outcome: 'interrupted', reason: 'refused for the test' })
    await refused.stop()
    await expect.poll(async () => (await bough.session(id)).state).toBe('idle')
    const notices = (await bough.messages(id)).flatMap(({ parts }) =>
      parts.filter(({ type }) => type === 'notice'),
    )
    expect(notices).toEqual([{ type: 'notice', text: 'Interrupted. refused for the test' }])
    await turn(bough, id, 'goes on')
  })

  it('closing lets go of all the others when one cannot be let go, and ends those who follow', async () => {
    const home = await newHome()
    const bough = await openBough(home)
    const [a, b] = [
      await bough.create({ directory: home.project }),
      await bough.create({ directory: home.project }),
    ]
    await turn(bough, a.id, 'one')
    await turn(bough, b.id, 'two')
    const following = Array.fromAsync(bough.events({ signal: new AbortController().signal }))
    const refused = await refusing(
      home.data,
      `UPDATE ON owners WHEN new.pid IS NULL AND new.session_id = '${a.id}'`,
    )
    await expect(bough.close()).rejects.toThrow('refused for the test')
    await refused.stop()
    await following
    const store = await openStore(home.data, Date.now)
    expect((await store.owners.held()).map(({ sessionID }) => sessionID)).toEqual([a.id])
    await store.close()
  })

  it('closing lets go of everything else when a run that waits cannot be left to others', async () => {
    const home = await newHome()
    await mkdir(dirname(home.config), { recursive: true })
    await writeFile(home.config, JSON.stringify({ forks: { limit: 1 } }))
    const bough = await openBough(home)
    const { id } = await bough.create({ directory: home.project })
    await bough.keepTime()
    const [running, first, second] = [
      await bough.runBackground(id, 'sleep 600'),
      await bough.runBackground(id, 'one'),
      await bough.runBackground(id, 'two'),
    ].map(({ sessionID }) => sessionID)
    if (!running || !first || !second) throw new Error('they have not begun')
    await expect.poll(async () => (await bough.session(running)).state).toBe('running')
    const refused = await refusing(
      home.data,
      `UPDATE ON forks WHEN new.pid IS NULL AND new.session_id = '${first}'`,
    )
    await expect(bough.close()).rejects.toThrow('refused for the test')
    await refused.stop()
    const store = await openStore(home.data, Date.now)
    expect(await store.owners.held()).toEqual([])
    expect((await store.sideForks.get(second))?.process).toBeNull()
    await store.close()
  })
})

describe('waiting for a place', () => {
  it('a turn that is aborted while it waits, or when bough is closed, is not sent', async () => {
    const home = await newHome()
    const bough = await openForTest(home)
    const { id } = await bough.create({ directory: home.project })
    await bough.send(id, 'sleep 600')
    const stop = new AbortController()
    const changedMind = bough.send(id, 'changed my mind', { signal: stop.signal })
    const tooLate = bough.send(id, 'write late.txt: too late')
    stop.abort()
    await expect(changedMind).rejects.toThrow('abort')
    const closing = bough.close()
    await expect(tooLate).rejects.toMatchObject({ code: 'closed' })
    await closing
    const again = await openForTest(home)
    expect((await again.messages(id)).filter(({ role }) => role === 'user').map(({ text }) => text)).toEqual([
      'sleep 600',
    ])
  })

  it('turns that wait in one process do not keep it from anything else', async () => {
    const home = await newHome()
    const [owner, waiter] = [await openForTest(home), await openForTest(home)]
    const sessions = await Promise.all([1, 2, 3].map(() => owner.create({ directory: home.project })))
    for (const { id } of sessions) await owner.send(id, 'sleep 600')
    const waiting = sessions.map(({ id }) => waiter.send(id, 'waited'))
    let ticks = 0
    const clock = setInterval(() => ticks++, 5)
    await expect.poll(() => ticks).toBeGreaterThan(50)
    clearInterval(clock)
    for (const { id } of sessions) await owner.abort(id)
    for (const turn of await Promise.all(waiting)) expect((await turn.ended).outcome).toBe('finished')
  })

  it('an owner of an earlier boot is not waited for', async () => {
    const home = await newHome()
    const first = await openForTest(home)
    const { id } = await first.create({ directory: home.project })
    await turn(first, id, 'before the power cut')
    await first.close()
    const store = await openStore(home.data, Date.now)
    await store.transaction(async (tx) => {
      const process = { pid: 1, started: '1', machine: 'an earlier boot' }
      await tx.owners.take({ sessionID: id, process, leaseUntil: Date.now() - 60_000, fromEpoch: null })
      const [prompt] = await tx.messages.range({ sessionID: id, from: 1, to: 1 })
      if (prompt) await tx.turns.insert({ id: 'trn_cut', sessionID: id, promptID: prompt.id, started: 0 })
    })
    await store.close()
    const again = await openForTest(home)
    expect((await again.session(id)).state).toBe('idle')
    expect((await again.fork(id)).parentID).toBe(id)
  })

  it('a live owner keeps its session when the clock jumps', async () => {
    const home = await newHome()
    let ahead = 0
    const clock = () => Date.now() + ahead
    const [owner, waiter] = [
      await openForTest(home, { clock, lease: 800 }),
      await openForTest(home, { clock, lease: 800 }),
    ]
    const { id } = await owner.create({ directory: home.project })
    const running = await owner.send(id, 'sleep 2')
    const waiting = waiter.send(id, 'after that')
    ahead = 3_600_000
    expect((await running.ended).outcome).toBe('finished')
    expect((await (await waiting).ended).outcome).toBe('finished')
  })
})
