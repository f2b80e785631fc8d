import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Home } from '../src/home.ts'
import { storeFile } from '../src/store/open.ts'
import { migrations } from '../src/store/sqlite/migrations.ts'
import type { Store } from '../src/store/store.ts'
import type { Reset, TreeEvent } from '../src/tree/event.ts'
import type { SessionID } from '../src/tree/ids.ts'
import { failuresOf, lostFrom } from './support/acknowledged.ts'
import { allEvents, damageIn, ownMessages } from './support/damage.ts'
import { lookInto, newDirectory, newHome, openHere } from './support/ground.ts'
import { Host } from './support/host.ts'
import { Program } from './support/program.ts'
import { count, seed } from './support/size.ts'
import { until } from './support/until.ts'
import type { Work, WorkReport } from './workers/work.ts'

const processes = 8

/** Eight processes at once, each with random turns and forks of its own and on the shared sessions. */
async function startCrowd(home: Home, work: Partial<Work>): Promise<readonly Program<WorkReport>[]> {
  const directory = await newDirectory()
  return Array.from({ length: processes }, (_, i) =>
    Program.start<WorkReport>('random-work', home, [
      JSON.stringify({
        seed: seed() + i,
        directory,
        actions: count(60, 7),
        lanes: 1,
        anySession: false,
        forkFrom: [],
        talkTo: null,
        command: null,
        ...work,
      } satisfies Work),
    ]),
  )
}

const isDone = (report: WorkReport) => report.kind === 'done' || report.kind === 'failed'

/** Waits for the end of all of them, and tells what went wrong. */
async function errorsOf(crowd: readonly Program<WorkReport>[]): Promise<readonly string[]> {
  for (const program of crowd) {
    await program.hears('that it is done', (report): report is WorkReport => isDone(report), 120_000)
  }
  return crowd.flatMap(failuresOf)
}

test('Eight processes append and fork at the same time: nothing is lost, no error, lines are contiguous', async () => {
  const home = await newHome()
  const bough = await openHere(home)
  const directory = await newDirectory()
  const { id: shared } = await bough.create({ directory })
  for (const text of ['write a.txt: 1\nwrite b.txt: 2', 'Plain words', 'append a.txt: 3\nread a.txt']) {
    await (await bough.send(shared, text)).ended
  }
  const { id: talk } = await bough.create({ directory })
  await (await bough.send(talk, 'Hello all')).ended

  const crowd = await startCrowd(home, { forkFrom: [shared, talk], talkTo: talk })
  expect(await errorsOf(crowd)).toEqual([])

  const store = await lookInto(home)
  expect(
    await lostFrom(
      store,
      crowd.flatMap(({ reports }) => reports),
    ),
  ).toEqual([])
  expect(await damageIn(store)).toEqual([])
  expect(await outOfOrder(store, crowd)).toEqual([])
  await expectNumberedTurns(store, talk)
  const talkers = new Set(crowd.filter(({ reports }) => reports.some((report) => isAbout(report, talk))))
  const forkers = new Set(crowd.filter(({ reports }) => reports.some(isFork)))
  expect(talkers.size, 'processes that sent to the shared session').toBeGreaterThan(1)
  expect(forkers.size, 'processes that forked').toBeGreaterThan(1)
})

const isAbout = (report: WorkReport, sessionID: SessionID): boolean =>
  report.kind === 'message' && report.sessionID === sessionID
const isFork = (report: WorkReport): boolean => report.kind === 'session' && report.forkPoint !== null

/** What a process was told later than something that has a higher number among the events. */
async function outOfOrder(
  store: Store,
  crowd: readonly Program<WorkReport>[],
): Promise<readonly WorkReport[]> {
  const numbers = new Map<string, number>()
  for (const event of await allEvents(store)) {
    if (event.kind === 'message.added') numbers.set(event.subjectID, event.seq)
    if (event.kind === 'session.created') numbers.set(event.sessionID, event.seq)
  }
  const wrong: WorkReport[] = []
  for (const { reports } of crowd) {
    let last = 0
    for (const report of reports) {
      if (report.kind !== 'message' && report.kind !== 'session') continue
      const number = numbers.get(report.kind === 'message' ? report.messageID : report.sessionID) ?? 0
      if (number <= last) wrong.push(report)
      last = number
    }
  }
  return wrong
}

/** Every turn in the session knew all the turns before it, in whichever process those ran. */
async function expectNumberedTurns(store: Store, id: SessionID): Promise<void> {
  const messages = await ownMessages(store, { id })
  const prompts = messages.filter(({ role }) => role === 'user')
  const replies = messages.filter(({ role }) => role === 'assistant')
  expect(prompts.length).toBeGreaterThan(1)
  expect(messages.map(({ role }) => role)).toEqual(prompts.flatMap(() => ['user', 'assistant']))
  for (const [i, reply] of replies.entries()) {
    expect(reply.text).toContain(`This is turn ${i + 1} on this line.`)
    if (i > 0) expect(reply.text).toContain(`${i}. “${prompts[i - 1]?.text.replace('\n', ' ')}”`)
  }
}

test('A reader in another process gets every event of eight writers exactly once and in order', async () => {
  const home = await newHome()
  const bough = await openHere(home)
  const reading = new AbortController()
  const seen: (TreeEvent | Reset)[] = []
  const reader = (async () => {
    for await (const event of bough.events({ after: 0, signal: reading.signal })) seen.push(event)
  })()
  const crowd = await startCrowd(home, {})
  expect(await errorsOf(crowd)).toEqual([])

  const stored = await allEvents(await lookInto(home))
  await until('the reader to catch up', () => seen.length >= stored.length)
  reading.abort()
  await reader
  expect(seen).toEqual(stored)
  expect(seen.length).toBeGreaterThan(processes * 10)
})

test('A reader in another process sees a change within a second', async () => {
  const home = await newHome()
  const bough = await openHere(home)
  const directory = await newDirectory()
  const host = await Host.open(home)
  const reading = new AbortController()
  const seen = new Map<SessionID, number>()
  const reader = (async () => {
    for await (const event of bough.events({ after: 0, signal: reading.signal })) {
      if (event.kind === 'session.created') seen.set(event.sessionID, Date.now())
    }
  })()
  for (let i = 0; i < 5; i++) {
    const { sessionID, at } = await host.create(directory)
    const seenAt = await until('the reader to see it', () => seen.get(sessionID))
    expect(seenAt - at).toBeLessThan(1000)
  }
  reading.abort()
  await reader
})

test('Waiting for a process that holds the write lock does not block the event loop', async () => {
  const home = await newHome()
  const bough = await openHere(home)
  const directory = await newDirectory()
  const holder = Program.start<{ kind: 'held' }>('lock-holder', home)
  await holder.hears('that it holds the lock', (report): report is { kind: 'held' } => report.kind === 'held')

  let ticks = 0
  let made = false
  const timer = setInterval(() => {
    ticks += 1
  }, 10)
  const began = Date.now()
  const making = bough.create({ directory }).then((session) => {
    made = true
    return session
  })
  await until('20 ticks of a timer', () => ticks >= 20, 1500)
  clearInterval(timer)
  expect(Date.now() - began).toBeLessThan(1500)
  expect(made, 'the lock is still held').toBe(false)

  holder.tell('let go')
  const { id } = await making
  expect((await bough.session(id)).id).toBe(id)
})

test('Two processes that open a brand-new home at the same moment both work, on one schema', async () => {
  const directory = await newDirectory()
  const first = await newHome()
  const hosts = [await Host.load(first), await Host.load(first)]
  for (let i = 0; i < count(100, 7); i++) {
    const home = await newHome()
    await Promise.all(hosts.map((host) => host.reopen(home)))
    const made = await Promise.all(hosts.map((host) => host.create(directory)))
    const ends = await Promise.all(
      made.map(({ sessionID }, j) => hosts[j]?.send(sessionID, 'words 1').ended()),
    )
    expect(ends).toMatchObject([{ outcome: 'finished' }, { outcome: 'finished' }])
    expect(schemaOf(home)).toBe(migrations.length)
    const store = await lookInto(home)
    expect(new Set((await store.sessions.all()).map(({ id }) => id))).toEqual(
      new Set(made.map(({ sessionID }) => sessionID)),
    )
    expect(await damageIn(store)).toEqual([])
  }
})

function schemaOf(home: Home): unknown {
  const db = new DatabaseSync(storeFile(home.data), { readOnly: true })
  try {
    return db.prepare('PRAGMA user_version').get()?.user_version
  } finally {
    db.close()
  }
}
